"""Names that hardly any training corpus has, in the Latin spellings of many languages and scripts.

None is a word of fra-eng.
"""

_TEXT = """
Aarav Abimbola Adwoa Aðalsteinn Aigerim Akosua Anahit Anoushka Ásgeir Astghik Ayşe Babajide
Bartłomiej Björgvin Bogdana Botond Božena Brínleifur Bronisława Caoimhe Çağla Chidinma Chinedu
Chiyoko Chloë D'Angelo D'Souza Dagný Darragh Deepika Dmitriy Dragoslav Dzmitry Ebru Eilidh
Eleftheria Eszter Evgeniya Farrukh Fatemeh Feodosiy Folasade Gintarė Grzegorz Gülşen Guðrún Håkon
Haruto Henrikas Hiroshi Hyejin Iñaki Ikechukwu Iryna Ismaïl Jadwiga Joaquín Jūratė Jürgen
Kateřina Khadija Kwabena Kyriakos Lakshmi Lidiya Ljiljana Lorcán Łukasz Lưu M'Baye Maëlle
Małgorzata Mehmet Mikołaj Mstislav Mthunzi N'Diaye N'Golo Nagendra Ngozi Nguyễn Niamh O'Callaghan
O'Sullivan Oddný Oluwaseun Øystein Parvaneh Pelageya Phạm Pınar Qiaohui Radosław Raghunath Ruairí
Rūta Ryōhei Sa'id Saoirse Satsuki Seong-min Shreya Siobhán Soo-jin Søren Svyatoslav Szymon Tadhg
Takeshi Tendai Thandiwe Tomáš Tuğçe Tymofiy Uğur Väinö Vyacheslav Wanjiru Wojciech Xiuying Xochitl
Yaroslava Yevhen Zbigniew Zeynep Zhanna Žofie Zsófia Þórunn
"""
NAMES = tuple(_TEXT.split())
