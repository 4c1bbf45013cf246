for (const button of document.querySelectorAll("[data-take]")) {
  button.addEventListener("click", () => window.wassersteinPage?.take(button.dataset.take));
}
document.getElementById("copy")?.addEventListener("click", async () => {
  const code = document.getElementById("python"), said = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(code.textContent);
    said.textContent = "copied";
  } catch {
    getSelection().selectAllChildren(code);
    said.textContent = "selected: copy with Ctrl+C";
  }
});
