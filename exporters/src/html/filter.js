
(() => {
  const box = document.querySelector(".filter");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const rows = [...document.querySelectorAll("tbody tr")].map((row) => {
    const section = document.getElementById(row.id.replace("row-", "section-"));
    const text = (row.textContent + " " + (section ? section.textContent : "")).toLowerCase();
    return { row, section, text };
  });
  box.hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, section, text } of rows) {
      const hit = words.every((word) => text.includes(word));
      row.hidden = !hit;
      if (section) section.hidden = !hit;
      count += hit;
    }
    found.textContent = words.length ? `${count} of ${rows.length}` : "";
  });
})();
