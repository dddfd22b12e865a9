"""The page of a video in a real browser, and what its pictures show."""
import json
import os
import time

# The picture that is shown: brightness of some of its pixels, and the time in its corner (0: it cannot be read).
LOOK = """
async () => {
  const direct = window.convoy_video?.direct, video = direct?.canvas ?? document.querySelector("video"), frames = direct?.frames;
  if (direct) while (direct.frames === frames) await new Promise((done) => setTimeout(done, 5));
  else await new Promise((done) => video.requestVideoFrameCallback(done));
  const canvas = document.createElement("canvas");
  canvas.width = direct ? video.width : video.videoWidth, canvas.height = direct ? video.height : video.videoHeight;
  const context = canvas.getContext("2d");
  context.drawImage(video, 0, 0);
  const now = Date.now(), rgba = context.getImageData(0, 0, canvas.width, canvas.height).data;
  const at = (x, y) => rgba[4 * (y * canvas.width + x)] + rgba[4 * (y * canvas.width + x) + 1] + rgba[4 * (y * canvas.width + x) + 2];
  const row = Math.floor(Math.min(canvas.width, 640) / 16);
  const bits = Array.from({length: 48}, (_, i) => at(16 * (i % row) + 8, 16 * Math.floor(i / row) + 8) > 384 ? 1 : 0);
  const byte = (k) => bits.slice(8 * k, 8 * k + 8).reduce((all, bit, i) => all + bit * 2 ** i, 0);
  const bytes = [0, 1, 2, 3, 4].map(byte), sum = bytes.reduce((a, b) => a + b, 0) & 255;
  const time = bytes.reduce((all, b, i) => all + b * 256 ** i, 0), pixels = [];
  for (let y = 40; y < canvas.height; y += 8) for (let x = 0; x < canvas.width; x += 8) pixels.push(at(x, y));
  return {time: sum === byte(5) ? time : 0, now: now % 2 ** 40, pixels, width: canvas.width, height: canvas.height};
}
"""


class Screen:
    """The signaling server's page."""

    def __init__(self, bench, browser, link, query="", before=lambda page: None, **options):
        self.b = bench
        self.context = browser.new_context(viewport={"width": 800, "height": 640}, **options)
        self.page = self.context.new_page()
        before(self.page)
        root, _, token = link.partition("#")
        self.page.goto(root + query + "#" + token)

    def until(self, text, patience=30):
        end = time.monotonic() + patience
        while not self.page.evaluate(text):
            if time.monotonic() > end:
                raise RuntimeError(f"never became true: {text}; it says: {self.words()}")
            time.sleep(0.05)

    def playing(self, patience=30):
        self.until("window.convoy_video?.playing === true && document.querySelector('[data-testid=video-words]').hidden", patience)
        return self

    def look(self):
        return self.page.evaluate(LOOK)

    def act(self, credentials):
        self.page.locator("[data-testid=video-credentials]").fill(credentials)
        self.page.locator("[data-testid=video-act]").click()

    def says(self, text):
        self.until(f"document.querySelector('[data-testid=video-said]').textContent.includes({json.dumps(text)})")

    def words(self):
        return self.page.locator("[data-testid=video-words]").inner_text()

    def picture(self, name):
        folder = os.path.join(os.path.dirname(self.b.convoy), "screenshots")
        os.makedirs(folder, exist_ok=True)
        self.page.screenshot(path=os.path.join(folder, f"{name}.png"))

    def close(self):
        self.context.close()


def changed(a, b, by=60):
    """The part of the pixels that differ."""
    return sum(abs(p - q) > by for p, q in zip(a["pixels"], b["pixels"])) / len(a["pixels"])
