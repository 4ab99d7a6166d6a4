"use strict";
// The search field: sentences that contain each word of the query, in source, translation or
// reference. A row of the data is [source, translation, references, chrF].
const SHOWN = 50;
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const rows = JSON.parse(document.getElementById("sentences").textContent);
const texts = rows.map(([source, translation, references]) =>
  plain([source, translation, ...references].join("\n")));
const field = document.getElementById("query");
const count = document.getElementById("found");
const body = document.getElementById("results");

const cell = (label, text, kind) => {
  const made = document.createElement("td");
  made.textContent = text;
  made.dir = "auto";
  made.dataset.label = label;
  if (kind) made.className = kind;
  return made;
};

const search = () => {
  const words = plain(field.value).split(/\s+/).filter(Boolean);
  const found = rows.filter((_, row) => words.every((word) => texts[row].includes(word)));
  count.textContent = words.length
    ? `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} sentences${found.length > SHOWN ? `, the first ${SHOWN} shown` : ""}`
    : "";
  body.replaceChildren(...(words.length ? found.slice(0, SHOWN) : []).map((row) => {
    const line = document.createElement("tr");
    line.append(
      cell("source", row[0]),
      cell("translation", row[1]),
      cell("references", row[2].join(" / ")),
      cell("chrF", row[3].toFixed(0), "number"),
    );
    return line;
  }));
  document.getElementById("table").hidden = !words.length;
};

field.addEventListener("input", search);
document.getElementById("search").hidden = false;
