// The API reference follows the choice of colours that the reader has made in the documents.
// Without a choice, it follows the system, by the style sheet.
try {
  const key = new URL("..", location).pathname + ".__palette";
  const palette = JSON.parse(localStorage.getItem(key));
  if (palette) {
    const dark = palette.color.scheme === "slate";
    document.documentElement.classList.add(dark ? "dark-mode" : "light-mode");
  }
} catch {
  // The browser keeps nothing for this site.
}
