"""Texts narrowed and cut into clauses, and what each word beside a literal makes of it."""

from __future__ import annotations

import pytest

from programs.literals.text import (
    Cue,
    chinese_number,
    clauses,
    cue,
    narrow,
    negated,
    visible,
    visible_positions,
)

APPROX, OVER, UNDER, DERIVED = Cue(approx=True), Cue(bound=">"), Cue(bound="<"), Cue(derived=True)
VAGUE, DENIED = Cue(vague=True), Cue(negated=True)


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def told(before: str, after: str = "", figure: str = "480") -> Cue:
    return cue(before + figure + after, len(before), len(before) + len(figure))


NARROW = [
    ("９５％", "95%"),
    ("（Ａ－ｚ）", "(A-z)"),
    ("～！", "~！"),
    ("＂＃", '"#'),
    ("｝～｟", "}~｟"),
    ("a\u3000b\u00a0c", "a b c"),
    ("\u22125\u20136\u20117", "-5-6-7"),
    ("5\u00b5s 6\u03bcs", "5us 6us"),
    ("５，６；７！８？", "5，6；7！8？"),
    ("１２，３４５", "12,345"),
    ("１２，３４５６", "12，3456"),
    ("１２，３４", "12，34"),
    ("12，345", "12，345"),
    ("plain 95%", "plain 95%"),
]


@pytest.mark.parametrize(("text", "narrowed"), NARROW)
def test_wide_signs_are_narrowed_in_place(text: str, narrowed: str) -> None:
    assert narrow(text) == narrowed
    assert len(narrowed) == len(text)


@pytest.mark.parametrize(
    "mark", [*"\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2064\u2066\u2069\ufeff"], ids=ascii
)
def test_marks_without_width_are_dropped(mark: str) -> None:
    assert visible(f"9{mark}5%") == "95%"
    assert visible_positions(f"{mark}9{mark}5") == (1, 3)
    assert (visible("９5%"), visible_positions("９5%"), visible_positions("95%")) == ("９5%", (), ())


CLAUSES = [
    ("CPU 95%，内存 61%", ["CPU 95%", "内存 61%"]),
    ("a。b；c！d？e;f!g?h\ni", list("abcdefghi")),
    ("1,234 ms, then 5 s", ["1,234 ms", " ", " 5 s"]),
    ("1,2345", ["1", "2345"]),
    ("v1.2 done. next", ["v1.2 done", " next"]),
    ("end.", ["end"]),
    ("up and down but slow while hot then off", ["up ", " down ", " slow ", " hot ", " off"]),
    ("sand, android", ["sand", " android"]),
    ("CPU 高而内存低", ["CPU 高", "内存低"]),
    ("而且是", ["而且是"]),
    ("不是 5 而是 6", ["不是 5 而是 6"]),
    ("web-1 - down", ["web-1 ", " down"]),
    ("，，", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "parts"), CLAUSES)
def test_clauses_end_at_their_marks(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in clauses(text)] == parts


NUMERALS = [
    *(
        ("十二", 12),
        ("二十", 20),
        ("三百零五", 305),
        ("三百五", 350),
        ("三百五十", 350),
        ("两千", 2000),
        ("一千二", 1200),
    ),
    *(
        ("千", 1000),
        ("百", 100),
        ("一千零五十", 1050),
        ("九千九百九十九", 9999),
        ("两百零三", 203),
        ("十", 10),
        ("零", 0),
    ),
    *(("〇", 0), ("一百〇五", 105), ("零五", 5), ("一二", None), ("十x", None), ("x", None), ("两", 2), ("七", 7)),
    *(("三百五十六", 356), ("二十五", 25), ("三千零二", 3002), ("一零", 0)),
]


@pytest.mark.parametrize(("text", "value"), NUMERALS)
def test_a_chinese_numeral(text: str, value: int | None) -> None:
    assert chinese_number(text) == value
    assert not isinstance(value, int) or isinstance(chinese_number(text), int)


CUES: list[tuple[Cue, str, str]] = [
    (APPROX, "延迟{}", "约,大约,大概,约为,大致,差不多,接近,将近,近,~,≈,几乎,约是,大约为"),
    (APPROX, "latency {} ", "about,around,roughly,approximately,approx,approx.,nearly,almost,circa,close to,some"),
    (APPROX, "latency is {} ", "About,ROUGHLY,about at,close to"),
    (OVER, "延迟{}", "超过,超出,大于,高于,多于,突破,超,逾,至少,不止,不只,不低于,不少于,不小于,>,>=,≥,超过了,突破 "),
    (OVER, "latency {} ", "over,above,more than,exceed,exceeds,exceeded,exceeding,greater than,higher than,at least"),
    (OVER, "latency {} ", "beyond,Over,AT LEAST"),
    (UNDER, "延迟{}", "低于,小于,少于,不到,不足,没到,没有到,未到,没达到,没有达到,未达到,未达,至多,最多,不超过,不高于,不大于"),
    (UNDER, "延迟{}", "<,<=,≤"),
    (UNDER, "latency {} ", "below,under,less than,fewer than,lower than,at most,up to,no more than,Below,UP TO"),
    (DERIVED, "延迟{}", "增加,上涨,上升,下降,减少,降低,提高,缩短,延长,下跌,增长,涨,降,升,高出,低了,高了,快,慢,晚,早,差,相差"),
    (DERIVED, "延迟{}", "间隔,相隔,持续,历时,跨度,总共用,平均,均值,每,每隔,过去,最近,未来,之后,连续,少,多"),
    (DERIVED, "延迟增加{}", "了,为,值,时间,的,在,时长,了时长"),
    (DERIVED, "latency {} ", "by,every,per,each,average,avg,mean,past,previous,difference of,gap of,apart,lasted,lasting"),
    (DERIVED, "latency {} ", "for,after,increase of,drop of,another,next,in,By,EVERY,by the,mean of,mean is,mean was"),
    (DERIVED, "latency {} ", "in the last"),
    (VAGUE, "{} ", "第,步骤,阶段,§,章节,step,section,chapter,phase,item,figure,table,rule,level,priority,Step,LEVEL"),
    (DENIED, "延迟{}", "没,未,并非,而非,不是,不等于,未有 ,没有出现"),
    (DENIED, "it {} ", "didn't,did not take,never,went without,is no,neither took,rather than,instead of,did NOT"),
    *((Cue(bound="<", every=True), f"延迟{never}{{}}", "超过,高于") for never in words("从未,从来没有,从没,没有,没,未曾,并未,未再")),
    *((Cue(bound=">", every=True), f"延迟{never}{{}}", "低于,小于") for never in words("从未,从来没有,从没,不曾,未,并未")),
    (Cue(bound="<", every=True), "it {} above ", "never,not,hardly,wasn't,never went,had not been,never rose,did not rise,Never"),
    (Cue(bound=">", every=True), "it {} below ", "never,not,has never gone,did not go,never have"),
    (Cue(approx=True, derived=True), "延迟增加{}", "约,大约,近,约为,大约为"),
    (Cue(approx=True, derived=True), "latency rose by {} ", "about,around"),
    (Cue(bound=">", derived=True), "延迟增加{}", "超过"),
    (Cue(bound=">", derived=True), "latency rose by {} ", "over"),
    (Cue(bound="<", derived=True), "it finished {} ", "within"),
    (Cue(bound="<", derived=True), "latency by {} ", "under"),
    (Cue(), "延迟{}", "为,是,到了,从,第一个,未知的,未来得及的,不是 5 而是,变成"),
    (Cue(), "latency {} ", "is,was,at,of the,to,from,on a,the,sabout,discover,sunder"),
    (Cue(), "it {} ", "did not take 3 but,did not wait for it but,knots"),
    (Cue(), "timed out {} ", "after"),
    (Cue(), "token {} ", "expires in,expired after,timing out after,times out in,timeout after,time-out in,EXPIRES IN"),
]  # fmt: skip
AFTER: list[tuple[Cue, str]] = [
    (APPROX, "左右,上下,附近, or so, or so."),
    (OVER, "以上,多,+,余, or more, or higher"),
    (UNDER, "以下, or less, or lower, or fewer"),
    (Cue(bound="<", derived=True), "以内,之内"),
    (DERIVED, "之后,后,之前,前,内,以里,里,期间,差,差值,差距,的差距,间隔,的间隔,增幅,降幅,跨度,增长,下降,窗口,的窗口".replace("以里,", "")),
    (DERIVED, " later, earlier, apart, after, before, ago, window, higher, lower, longer, more, increase, drop"),
    (DERIVED, " faster, slower, Later, WINDOW"),
    (Cue(), "后超时,之后才超时,后就过期,之后即失效,后便超时,后失效, latert, windows, oral, applied"),
    (Cue(), "，之后,。以上,的请求,和, or, and more, isher"),
    (Cue(approx=True, derived=True), "前后"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "expected"), [(stem.format(word), made) for made, stem, row in CUES for word in words(row)]
)
def test_the_words_before(before: str, expected: Cue) -> None:
    assert told(before) == expected
    assert told(f"{before} ") == expected


@pytest.mark.parametrize(("after", "expected"), [(word, made) for made, row in AFTER for word in row.split(",")])
def test_the_words_after(after: str, expected: Cue) -> None:
    assert told("延迟 ", after) == expected


NOT = words(
    "不是,并非,而非,并不是,而不是,不等于,没有,未见,not,never,rather than,instead of,isn't,wasn't,without,no,NOT"
)


@pytest.mark.parametrize(
    "word", [*NOT, "不是在", "并非为", "not at", "not on", "not from", "never a", "no an", "not the"]
)
def test_a_literal_is_denied(word: str) -> None:
    assert negated(f"该值{word} 95", len(f"该值{word} "))


@pytest.mark.parametrize("word", ["是", "在", "is", "knot", "not,", "不是的", "no.", "nor"])
def test_a_literal_is_not_denied(word: str) -> None:
    assert not negated(f"该值{word} 95", len(f"该值{word} "))
    assert not negated("95", 0)
