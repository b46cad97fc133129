/** Measures how long a browser takes to arrange the largest picture of a network, and to move the picture. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { launchBrowser, unpackBrowser } from '../../test/browser/browser.ts';
import { drawPicture, openLargePicture } from '../../test/browser/large-picture.ts';
import { atMost, type Figure, median, round, type Scenario } from '../figure.ts';
import { PROGRAM } from '../program.ts';

const SIZES = [
  { people: 200, paths: 600 },
  { people: 2_000, paths: 6_000 },
] as const;
const TIMES = 3;
const MOVED_MS = 2_000;

/** The maximum time for one frame (ms). At 30 frames per second, the picture still follows the pointer. */
const FRAME_MS = 1_000 / 30;
const MOST_LAYOUT_MS = 3_000;

export const picture: Scenario = {
  name: 'picture',
  title: 'network pictures in a browser, by the processor time of their page',
  async measure() {
    const demo = spawn(process.execPath, [PROGRAM, 'demo', '--tour'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: tmpdir(),
    });
    const exited = once(demo, 'exit');
    const browser = await launchBrowser(await unpackBrowser());
    try {
      return await measurePictures(browser, await readDemoUrl(demo.stdout));
    } finally {
      await browser.close();
      demo.kill('SIGTERM');
      await exited;
    }
  },
};

/** Returns the URL of a client's networks page in the demo. The scenario replaces the picture on this page. */
async function readDemoUrl(stdout: Readable): Promise<string> {
  let text = '';
  stdout.setEncoding('utf8');
  for await (const chunk of stdout) {
    text += String(chunk);
    if (text.includes('Ctrl-C ends it')) break;
  }
  const [, url] = /(http:\/\/[\d.]+:\d+)\/credits/.exec(text) ?? [];
  if (url === undefined) throw new Error(`The demo does not say where its pages are:\n${text}`);
  return `${url}/networks/demo-salesforce`;
}

async function measurePictures(browser: Browser, url: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of SIZES) {
    const layouts: number[] = [];
    const frames: number[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      const view = await openLargePicture(browser, url, size);
      const readLayout = await startPageWork(view.page);
      await drawPicture(view, url);
      layouts.push(await readLayout());
      frames.push(await measureFrameWork(view.page));
      await view.close();
    }
    const people = `${size.people.toLocaleString('en-US')} people`;
    figures.push(
      atMost(`${people}: laid out`, round(median(layouts)), 'ms', MOST_LAYOUT_MS),
      atMost(`${people}: a frame, of its time`, round(median(frames) / FRAME_MS), 'x', 1),
    );
  }
  return figures;
}

const metricsSchema = z.object({
  metrics: z.array(z.object({ name: z.string(), value: z.number() })),
});

/** Starts to measure the processor time of a page (ms). */
async function startPageWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const readWork = async () => {
    const { metrics } = metricsSchema.parse(await session.send('Performance.getMetrics'));
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  };
  const before = await readWork();
  return async () => (await readWork()) - before;
}

/** A script that counts frames until the page calls `countedFrames`. */
const COUNT_FRAMES = `(() => {
  let frames = 0;
  const next = () => { frames += 1; requestAnimationFrame(next); };
  requestAnimationFrame(next);
  globalThis.countedFrames = () => frames;
})()`;

/** Returns the processor time per frame (ms) while a user moves the picture. */
async function measureFrameWork(page: Page): Promise<number> {
  const box = await page.locator('.picture-place').boundingBox();
  if (!box) throw new Error('There is no picture');
  const [left, top] = [box.x + 12, box.y + 12];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.evaluate(COUNT_FRAMES);
  const readWork = await startPageWork(page);
  const endsAt = Date.now() + MOVED_MS;
  for (let step = 0; Date.now() < endsAt; step += 1) {
    await page.mouse.move(left + (step % 60) * 6, top + (step % 30) * 4);
  }
  const workMs = await readWork();
  const frames = z.number().parse(await page.evaluate('countedFrames()'));
  await page.mouse.up();
  return workMs / frames;
}
