import { defineConfig } from "vite";

// Everything becomes files beside index.html: the server's Content-Security-Policy takes nothing inline.
export default defineConfig({
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 900, rollupOptions: { input: ["index.html", "video.html"] } },
});
