"""Words that look like names but are prose, and plain words that are names all the same."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Software that is named in plain lower-case words; found or missing case-insensitively.
SOFTWARE = _words(
    """redis mysql mysqld mariadb postgres postgresql mongodb mongo oracle sqlite clickhouse tidb cassandra hbase hive
    hdfs hadoop yarn spark flink kafka rabbitmq rocketmq activemq pulsar zookeeper etcd consul nacos apollo
    elasticsearch opensearch logstash kibana nginx openresty haproxy envoy istio traefik apache httpd tomcat jetty
    kubelet docker containerd coredns calico flannel prometheus alertmanager grafana jenkins gitlab vault
    keepalived lvs memcached minio ceph glusterfs sshd systemd cron crond ntpd chronyd dnsmasq nova neutron cinder
    keystone glance libvirt qemu hikaricp druid dubbo sentinel seata skywalking jaeger sentry celery gunicorn uwsgi
    redis-sentinel"""
)
# The same software under its daemon's or package's name.
ALIASES: dict[str, tuple[str, ...]] = {
    "mysql": ("mysqld", "mysql-server"),
    "postgres": ("postgresql",),
    "postgresql": ("postgres",),
    "redis": ("redis-server",),
    "ssh": ("sshd",),
    "apache": ("httpd", "apache2"),
    "mongodb": ("mongod",),
    "mongo": ("mongod", "mongodb"),
}
# A compound with one of these parts names a piece of infrastructure in any sentence.
_INFRA_PARTS = _words(
    """svc service api db node server proxy worker cache mq job pod center gateway host cluster broker router agent
    sidecar controller operator scheduler registry store manager pipeline payment order inventory"""
)
# Hyphenated prose: a compound with one of these parts is not taken as a service name.
_PROSE_PARTS = _words(
    """pre re non self well long short high low read write only out of up down time end to on off in by root cause over
    under multi single cross co sub inter intra post anti semi level side wide based related like specific driven
    bound facing free aware day hour minute second week way term scale run set back one two three four five six
    first last full half near real old new same ever ongoing hand built open follow start shut roll fail auto cold
    hot soft hard early late the and per non-critical depth check memory line rate check-in heavy light then now all
    life cycle user so called ahead hash peak dead most every large small big tail head queue"""
)
_NOT_NAMES = _words(
    """k8s ipv4 ipv6 p50 p90 p95 p99 p999 24x7 7x24 http2 http1 utf-8 utf8 sha256 md5 base64 x86 x86_64 h2 l4 l7
    oom-killed notready"""
)
_CAMEL_PROSE = _words("""github javascript openstack devops iowait macos typescript loghub iphone ebpf nodejs""")
# Errno and signal names stand without an underscore.
CODE_PREFIXES = (
    "ECONN",
    "ETIMED",
    "EHOST",
    "ENET",
    "ENO",
    "EPIPE",
    "EACCES",
    "EAGAIN",
    "EADDR",
    "EMFILE",
    "EIO",
    "SIG",
)


def is_prose_compound(token: str) -> bool:
    """A hyphenated token that reads as prose (read-only, long-term) and not as a name."""
    parts = token.lower().split("-")
    return any(part in _PROSE_PARTS for part in parts)


def is_infrastructure(token: str) -> bool:
    """A hyphenated token that names a host, service or pod by one of its parts (node-a, pay-svc)."""
    return not _INFRA_PARTS.isdisjoint(token.lower().split("-"))


def is_plain(token: str) -> bool:
    """A token that carries no identity of its own (P99, IPv4, e.g)."""
    return token.lower() in _NOT_NAMES


def is_product_camel(token: str) -> bool:
    """A product name written in mixed case."""
    return token.lower() in _CAMEL_PROSE
