"""What a translation copies: found, hidden from the model, and put back."""

import random
import re
import time

import pytest

from gru_mt.data.text.patterns import CODE
from gru_mt.data.text.placeholders import (
    Masked,
    Span,
    disjoint,
    find_placeholders,
    mask,
    mask_pair,
    placeholder_indices,
    restore,
)
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS

# To training. Of other words some are copied, with the signs that join them.
KNOWN = """a an and are b bold by click code copy either or go h he her here his home in is it km
    list me link my name not of on open or path press save see she so sure text the this
    th to use very words"""

TEXTS = """
    See ⟦https://example.com/a?b=c&d=e#f⟧.
    ("⟦http://example.com/a⟧"), '⟦http://example.com⟧'!
    (⟦https://en.wikipedia.org/wiki/Foo_(bar)⟧) and ⟦<https://example.com/>⟧
    请访问⟦https://example.com/a⟧。谢谢
    ⟦https://example.com/⟧에서 ⟦https://ru.wikipedia.org/wiki/Мир⟧,
    ⟦https://fr.wikipedia.org/wiki/Château⟧ ⟦https://api.example.com/users/{id}/posts⟧
    ⟦covid-19⟧, ⟦web-01⟧. ⟦sk-abc123⟧ ⟦K8s-pod-1⟧'s l'⟦usb-3⟧ ⟦py-3.12⟧ ⟦inv-2024-001⟧
    ⟦ковид-19⟧ ⟦ubuntu-22.04-lts⟧ ⟦9-to-5⟧ ⟦react@18.2.0⟧. ⟦arn:aws:s3:::x⟧ use ⟦-v⟧.
    a T-shirt, vis-à-vis he-she, a dit-il 5 a- 5-year-old ⟦web-1⟧-based
    ⟦example.com⟧, ⟦Example.COM/path⟧. ⟦bit.ly/x⟧ ⟦localhost:8080/x⟧ ⟦192.168.1.1:80/a⟧
    I saw it.He left. I saw.It was etc... !!! ...
    ⟦bob.smith+x@mail.example.co.uk⟧. ⟦<user@example.com>⟧, ⟦mailto:a@b.org⟧ ⟦a@b⟧
    邮箱是⟦a@b.com⟧。 ⟦jean-luc.o'brien@x.org⟧, '⟦tom@x.org⟧' He is big.⟦|⟧5, ⟦a|5⟧
    ⟦a|5⟧⟦|⟧He is big.
    ⟦tel:+33123456789?x⟧ ⟦10.1000/xyz123⟧, (⟦10.1038/s41586-020-2649-2⟧)
    ⟦2001:db8::1⟧, ⟦fe80::1⟧. ⟦00:1B:44:11:3A:B7⟧ ⟦192.168.1.1⟧ at 10:30:05
    Hello ⟦{name}⟧, ⟦{{x}}⟧ ⟦{{ user.name }}⟧ ⟦{0:>3}⟧ ⟦{}⟧!
    ⟦${VAR}⟧ ⟦$VAR⟧, ⟦%VAR%⟧. ⟦$(x)⟧ ⟦#{x}⟧ ⟦@:msg.key⟧
    ⟦%s⟧ ⟦%d⟧: ⟦%1$s⟧ (⟦%(name)s⟧) ⟦%.2f⟧ ⟦%@⟧ ⟦%d%s⟧ file⟦%s⟧ ⟦%s⟧个
    50 ⟦%s⟧ but ⟦100%⟧ sure, ⟦50%⟧ sure, ⟦5 %⟧, the ⟦%⟧ sign
    ⟦{a word and another}⟧ stay ⟦{0, number}⟧ ⟦{% if a %}⟧ ⟦{% endif %}⟧ ⟦<%= x %>⟧ ⟦<?php x ?>⟧
    ⟦{n, plural, one {# cat} other {# cats}}⟧ ⟦{a, select, x {b {c {d} e} f}}⟧
    ⟦{⟧He is here.⟦}⟧ ⟦__name__⟧ ⟦[name]⟧ ⟦:name⟧ ⟦:smile:⟧ ⟦<@id>⟧
    ⟦<:wave:123>⟧ it:name: it::the
    ⟦<a href="x" title="a>b">⟧text⟦</a>⟧⟦<br/>⟧⟦<br />⟧⟦<!-- a <b> -->⟧⟦<b>⟧x⟦</b>⟧
    ⟦a < b⟧ and ⟦c > d⟧, ⟦a<b⟧, ⟦c>=d⟧, ⟦<your name>⟧
    ⟦<input disabled>⟧ ⟦<my-tag :a.b="c">⟧ ⟦<1>⟧ ⟦</1>⟧ ⟦<color=red>⟧ ⟦<!DOCTYPE html>⟧
    ⟦<code>a b</code>⟧ and ⟦<script type="x">a < b</script>⟧ but ⟦<b>⟧words⟦</b>⟧
    ⟦&amp;⟧ ⟦&#39;⟧ ⟦&#x27;⟧ ⟦AT&T⟧; ⟦R&D⟧;
    use ⟦`x y`⟧, ⟦``a ` b``⟧, ⟦```x```⟧. 使用⟦`x`⟧吧 but it`s Tom`s
    ⟦[b]⟧bold⟦[/b]⟧ ⟦[x]⟧ ⟦[1]⟧ see ⟦[^note]⟧ ⟦[ ]⟧ ⟦§a⟧ ⟦§ 5⟧
    This is ⟦*⟧very⟦*⟧ ⟦**⟧bold⟦**⟧, ⟦_⟧so⟦_⟧ ⟦__so__⟧ ⟦~~⟧not⟦~~⟧ ⟦==⟧the⟦==⟧
    ⟦#⟧ Home ⟦##⟧ Home ⟦>⟧ text ⟦*⟧ text ⟦|⟧ a ⟦|⟧ b ⟦|⟧ ⟦•⟧ text
    a ⟦[⟧link⟦](https://example.com "a b")⟧, ⟦![⟧text⟦](a.png)⟧ ⟦[⟧link⟦][1]⟧
    ⟦[![⟧text⟦](a.png)](b(c))⟧ ⟦:ref:`a`⟧ ⟦.. note::⟧ text
    ⟦[⟧text⟦]: https://a.org⟧ ⟦[Tom]⟧: He is
    ⟦*zyx*⟧ ⟦/ɪ/⟧
    他⟦/⟧她来了。 请选择⟦→⟧价格。 我喜欢你⟦~⟧
    ⟦***⟧so⟦***⟧ ⟦---|---⟧ ⟦===⟧ ⟦a/b⟧
    a⟦\\n⟧b ⟦\\r\\n⟧so ⟦\\t⟧the ⟦\\\"⟧the⟦\\\"⟧ ⟦\\N⟧the ⟦\\u00e9⟧ ⟦\\x41⟧ a⟦\\\\⟧ ⟦\\'⟧ ⟦\\%⟧
    ⟦\\textbf{⟧very⟦}⟧ ⟦\\nu⟧ ⟦\\alpha⟧ ⟦$x^2$⟧ ⟦\\(a b\\)⟧ ⟦\\[a\\]⟧ ⟦$E = mc^2$⟧ ⟦$5⟧ and ⟦$6⟧
    ⟦torch==2.1⟧ ⟦PATH=/usr/bin⟧ ⟦x=1⟧ ⟦snake_case⟧ ⟦camelCase⟧ ⟦CamelCase⟧ ⟦MAX_SIZE⟧ ⟦foo()⟧
    ⟦greeting=⟧I am so
    ⟦foo.bar()⟧ ⟦os.path.join⟧ ⟦com.example.Foo⟧ Hi.Tom ⟦C++⟧ ⟦C#⟧ ⟦.NET⟧ ⟦f(x) = x + 1⟧ is so
    so.⟦¹⟧ ⟦x²⟧ ⟦1e-5⟧ ⟦iPhone⟧ ⟦eBay⟧ iT
    ⟦16GB⟧ ⟦3D⟧ ⟦5kW⟧ ⟦5PM⟧ ⟦10lbs⟧. ⟦MyClass.my_method⟧ ⟦x != y⟧ ⟦@@name@@⟧ ⟦##name##⟧
    ⟦\\ref{fig:a}⟧
    ⟦\\begin{itemize}⟧ ⟦..\\a\\b⟧ ⟦report(2).docx⟧, ⟦a (1).pdf⟧ ⟦~/a/b(1).pdf⟧
    run ⟦--verbose⟧ and ⟦-v⟧ ⟦--name=x⟧ or ⟦-m "a b"⟧ but -5 and so-so
    ⟦x = 5;⟧
    ⟦from os import path⟧
    ⟦for (i = 0; i < 3; i++) {⟧
    ⟦SELECT name FROM users⟧
    SELECT A PATH FROM THE LIST
    open ⟦report.pdf⟧, ⟦a_b-2.tar.gz⟧. (⟦README.md⟧) ⟦src/main.py⟧ ⟦résumé.PDF⟧?
    ⟦/usr/bin/x⟧ "⟦~/x⟧", ⟦./x⟧ ⟦../y/z⟧. ⟦C:\\\\x\\\\y.txt⟧, ⟦/etc⟧. ⟦.gitignore⟧ ⟦.env⟧
    either⟦/⟧or and⟦/⟧or he⟦/⟧she ⟦km/h⟧ he ⟦/⟧she ⟦r/ab⟧ ⟦1/2⟧ ⟦24/7⟧
    ⟦@tom⟧, ⟦is@here⟧ ⟦@ann.b⟧. ⟦@tom⟧.It is ⟦@user@mastodon.social⟧ ⟦@ann-b⟧
    ⟦#tag⟧, ⟦#日本語⟧ ⟦#हिन्दी⟧। ⟦#বাংলা⟧ ⟦#မြန်မာ⟧ ⟦#می‌خوانم⟧ ⟦#fff⟧ ⟦#123⟧ ⟦#1⟧ ⟦C#⟧ is
    ok⟦😀⟧. ⟦😀😀⟧ ⟦👨\u200d👩\u200d👧⟧ ⟦👍🏽⟧ ⟦❤️⟧ ⟦🇫🇷🇩🇪⟧ ⟦1️⃣⟧ ⟦#️⃣⟧ ⟦©️⟧ ⟦☺⟧
    ⟦🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f⟧ ⟦©⟧ 2 ⟦→⟧ ⟦™⟧ ⟦(c)⟧
    Hi ⟦:)⟧ ⟦;-)⟧, ⟦:-(⟧. ⟦:D⟧ ⟦<3⟧ ⟦:'(⟧! great⟦:)⟧ see: (a) and (b):
    the commit is ⟦deadbeef⟧, not a cabbage
    in ⟦1987⟧. ⟦1,000,000⟧ people, ⟦3.14⟧, (⟦1987⟧), "⟦2019-2020⟧", mid-⟦2019⟧, ⟦1920×1080⟧
    ⟦$1,299.99⟧, ⟦US$100⟧ ⟦1.299,99 €⟧ ⟦5$⟧, ⟦€5⟧, ⟦100%⟧ ⟦-273.15⟧ ⟦100 %⟧. ⟦978-3-16-148410-0⟧
    at 10:30, 10:30:05, 9H05, ⟦10:30pm⟧: 7th, 10km and 12, 5 to 10
    ⟦1 234 567⟧ ⟦1\u00a0234,5⟧, ⟦1'000'000⟧ ⟦12345678.50⟧ ⟦12345678 €⟧ ⟦12345678-90⟧
    ⟦iPhone15⟧ ⟦A4⟧ ⟦B-52⟧ ⟦3D⟧ 5km ⟦covid19⟧ ⟦GPT-4o⟧ ⟦2x4⟧ ⟦v1.2⟧ IBM HOW-ARE
    ⟦R2D2-4471⟧, ⟦ISO9001⟧. ⟦AB1234⟧ ⟦v1.2.3⟧ ⟦1.2.3⟧. ⟦#ff00aa⟧ ⟦1920x1080⟧ ⟦1,234km⟧
    ⟦2019-12-25T10:30:00Z⟧ ⟦550e8400-e29b-41d4-a716-446655440000⟧ ⟦deadbeef⟧
    ⟦٢٠٢٤⟧, ⟦१२३४⟧ में १२ ⟦2024⟧年5月 ⟦2024⟧년에 ⟦１２３⟧
    see ⟦p. 5⟧, ⟦pp. 5–10⟧ or ⟦Fig.2.1⟧. Bus ⟦no. 5⟧. No. Stop. 5 a, map. 5, p. 5a
    ⟦§4.2(b)⟧ of the text, ⟦12(a)(ii)⟧ or ⟦§ 12⟧. ⟦§4⟧a ⟦6'2"⟧, ⟦9am-5pm⟧ ⟦25–30 min⟧.
    ⟦5 kg⟧ 5 km, ⟦250 ml⟧ or ⟦100 km⟧ in ⟦100⟧ minutes ⟦100 km/h⟧ and ⟦10 €/h⟧ at home: ⟦......⟧
    ⟦v2.0.0-rc.1⟧, ⟦V1.0-beta⟧. ⟦#A-1043/7⟧, ⟦#abc⟧-abc ⟦B-12/a⟧.
    ⟦#12345-AB⟧ ⟦#2024-001⟧, ⟦no. 12-AB⟧. ⟦SARS-CoV-2⟧
    5 m'ont 5 km long but it is ⟦3 m⟧ long, ⟦10 s⟧. ⟦2 g⟧ or ⟦1 l⟧ and 5 l'a
    ⟦½⟧ ⟦2½⟧ ⟦m²⟧ ⟦5²⟧ ⟦90°⟧ ⟦-5 °C⟧ ⟦48°51'24" N⟧ ⟦2 × 3⟧ ⟦2 + 2 = 4⟧ ⟦x² + y² = z²⟧
    ⟦10 x 20 cm⟧ ⟦10x20x30 cm⟧, ⟦4 × 5 m⟧. ⟦5 - 10⟧ minutes, ⟦9 – 5⟧ so ⟦5 pm⟧ ⟦10:30 AM⟧ so 5 am
    at ⟦9 a.m⟧. ⟦10:30 p.m.⟧ so ⟦5 A.M.⟧, at ⟦7 p. m⟧. 9 or ⟦9 a.m⟧
    chapter ⟦IV⟧, ⟦XIV⟧. Louis ⟦XVI⟧ but I am MIXED and IVY
    le ⟦XIXe⟧ siècle, le ⟦IIème⟧, la Ve, CDe and the XIXer
    HE IS IN THE XIV OF THE LIST
    ⟦{a}⟧⟦{b}⟧⟦%s⟧⟦😀⟧⟦1234⟧⟦<b>⟧⟦@tom⟧
    ⟦https://example.com⟧
    ⟦\ue010⟧⟦\ue017⟧ a⟦\ue013⟧b \ue018
    ⟦\uf0b7⟧ we buy milk ⟦\uf04a⟧
"""  # ⟦a placeholder⟧ in its text


def cases() -> list[str]:
    """Return the lines of TEXTS."""
    return [line.strip() for line in TEXTS.strip().split("\n")]


@pytest.mark.parametrize("case", cases())
def test_placeholders_are_found_in_their_text(case: str) -> None:
    text = re.sub("[⟦⟧]", "", case)
    found = find_placeholders(text, lambda word: word.lower() in KNOWN.split())
    for start, end, placeholder in reversed(found):
        assert text[start:end] == placeholder
        text = f"{text[:start]}⟦{placeholder}⟧{text[end:]}"
    assert text == case


def test_an_hour_is_copied_with_a_pm_that_is_known_but_not_with_am_a_german_word() -> None:
    text = "It is 5 pm or 6 PM, 7 am, 8PM."
    assert [span.text for span in find_placeholders(text, lambda _: True)] == ["5 pm", "6 PM"]


def random_text(rng: random.Random) -> str:
    """Return a text of the characters and words that the kinds of placeholders are made of."""
    pieces = [
        *"aZé_0123456789 .,;:/\\-–+'×()[]{}<>\"`@#$€%&=~?!|*^。はх٣म\u0301\u00a0\n",
        *PLACEHOLDER_TOKENS, "😀", "❤\ufe0f", "\u200d", "🇫", "\u20e3", "http://", "www.", ".com",
        ".pdf", "%s", "{x}", "<b>", "&amp;", "10:30", "1234", "555", "١٢٣", "R2D2", ":)", "\ud800",
        "\\n", "\\textbf{", "](", "![", "**", "__", "a_b", "aB", "==", "--", "::", "(c)", "°", "²",
        "½", "→", "•", "IV", "<code>", "</code>", "{% ", "$x", "%1", ":a:", "C++", "()", "a.b.c",
    ]  # fmt: skip
    return "".join(rng.choices(pieces, k=rng.randrange(30)))


def test_any_text_comes_back_whole() -> None:
    rng = random.Random(1)
    for text in (random_text(rng) for _ in range(1_000)):
        spans = find_placeholders(text)
        is_right = [text[start:end] == found != "" for start, end, found in spans]
        assert all(is_right), ascii(text)
        assert disjoint(spans) == spans
        masked = mask(text, spans)
        assert restore(masked.text, masked.placeholders) == text
        assert not re.search(r"[0-9]{3}", masked.text), ascii(text)
        assert sum(masked.text.count(mark) for mark in PLACEHOLDER_TOKENS) == len(spans)


def test_a_chinese_character_elsewhere_changes_no_placeholder() -> None:
    # Text with other scripts has a pattern of its own.
    rng = random.Random(1)
    for text in [*(re.sub("[⟦⟧]", "", case) for case in cases()), *map(random_text, [rng] * 500)]:
        if not any(map(CODE.fullmatch, (text, f"{text} 中"))):  # a whole line
            assert find_placeholders(f"{text} 中") == find_placeholders(text), ascii(text)


LONG = r"""a é < { [ ( ` @ # $ % & / \ . - _ : ; , 1 ١ ~ | 😀 a. a- a/ a_ a@ a: 1- 1, A1 A- <a <!--
    {{{ ${ %( %1 %1$ @a@a@a @a. x@y. &a http://a( http://[ www. `a `_``_ <a_ <a_" 1_ +1_ (1)_ /a ./
    ../ ../a ~/a _/a C:\x_ :( <3_ 12: #1
    {a} {a{ <% <!a <code> <a>_ ]( ](a ](( [![ [a [a] [a][ [1] [^a] ]:_a $x $$ $a$ $a\ $( \\ \a \n
    \textbf{ \textbf[ \( \[ %s %s% %% %a- #1 *a* a* ** ~~ == a= x=_ --a=b_ --a_ -a_ a.b. a.b.c a()
    IV_ aB AbC a.b( f(a) f(a)_=_ x^ 1_+_ 1< 1°2' :: ::a :a: a:b: fe80: (c) ² ½ → 1-AB ab12- 12ab
    10.1000/ «a» a|b =_ if( SELECT_ a;_ 1– 1× 1+_"""  # _ is a space
OPENED = r"""{Tom_ http://a( http://a.b[c www.a{ <a_= <a_b=" <a_b='c'_ { {{ {% ${ {n,_plural,_one_{
    <% <!-- <code> ` `` [ [![ [^ ]( ](a_" $ $\ \( \[ \textbf[ \textbf{ %( &# a(
    f(x)_=_ x= --a=" a_=_ SELECT_ if_( if_ import_ from_a_import_ 10.1000/ C:\ """  # and then much


@pytest.mark.parametrize("size", [3_000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_a_long_text_takes_time_in_proportion(size: int) -> None:
    # A part of the pattern that tries the text again from each character takes hours for a piece;
    # a repetition inside a repetition of what is opened and never closed takes for ever.
    # Ten times the text takes about ten times as long, and not a hundred times.
    def seconds(text: str) -> float:
        started = time.process_time()
        find_placeholders(text)
        return max(time.process_time() - started, 1e-4)

    repeated = [("", piece.replace("_", " "), len(piece)) for piece in LONG.split()]
    opened = [start.replace("_", " ") for start in OPENED.split()]
    never_closed = [(a, b, 5) for a in opened for b in ("a", "a ", "a.", "=", "'", "(", " ")]
    never_closed += [("SELECT", " FROM", 5), ("UPDATE", " SET", 4)]
    for start, piece, share in [*repeated, *never_closed]:
        sizes = (size // 10 // share, size // share)
        short, long = (f"{start}{piece * count}{' 5' * (piece == 'a-')} X!" for count in sizes)
        growths = (seconds(long) / seconds(short) for _ in range(3))  # others may use the CPU
        assert any(growth < 40 for growth in growths), long[:30]


@pytest.mark.parametrize(
    ("source", "target", "masked"),
    [
        ("Born in 1945.", "Né en 1945.", ("Born in {0}.", "Né en {0}.")),
        ("1,000 in 1990", "En 1990, 1,000", ("{0} in {1}", "En {1}, {0}")),  # another order
        ("100 and 100", "100 et 100", ("{0} and {1}", "{0} et {1}")),
        ("100 and 100", "deux fois 100", ("100 and 100", "deux fois 100")),  # not as often
    ],
)
def test_a_pair_is_masked_where_both_sides_have_the_placeholder(
    source: str, target: str, masked: tuple[str, str]
) -> None:
    assert mask_pair(source, target) == tuple(side.format(*PLACEHOLDER_TOKENS) for side in masked)


def test_what_is_copied_is_put_where_its_placeholder_token_stands() -> None:
    masked = mask("a@b.org or c@d.org.", find_placeholders("a@b.org or c@d.org."))
    assert masked == Masked("\ue010 or \ue011.", ("a@b.org", "c@d.org"))
    assert restore("\ue011 ou \ue010", masked.placeholders) == "c@d.org ou a@b.org"
    # The second \ue010 is placeholder 8, the second \ue011 would be placeholder 9.
    placeholders = [*"abcdefgh", "\ue011"]
    assert restore("\ue010\ue011\ue010\ue011\ue010", placeholders) == "ab\ue011\ue011\ue010"
    assert placeholder_indices("\ue010 a \ue012\ue010 \ue011\ue010") == [0, 2, 8, 1, 16]
    many = " ".join(f"{{x{i}}}" for i in range(40))
    masked = mask(many, find_placeholders(many))
    assert masked.text == " ".join([*PLACEHOLDER_TOKENS] * 5)
    assert restore(masked.text, masked.placeholders) == many
    assert mask("the cat", [Span(4, 7, "matou")]) == Masked("the \ue010", ("matou",))


def test_of_spans_that_overlap_the_longest_stays_and_the_first_of_the_longest() -> None:
    spans = [Span(0, 2, "a"), Span(1, 4, "b"), Span(3, 6, "c"), Span(5, 7, "d"), Span(7, 9, "e")]
    assert disjoint(spans) == [Span(1, 4, "b"), Span(5, 7, "d"), Span(7, 9, "e")]
    assert disjoint(reversed(spans)) == disjoint(spans)
