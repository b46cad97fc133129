import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';
import { openView } from './browser.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const openWorld = closedAfterTest(openHttpWorld);

const REFRESHES = 500;

/**
 * The number of rounds before the first measurement. In these rounds, the browser compiles code and fills its caches.
 */
const WARM_UP = 40;

it('keeps the memory of pages that are open for a day: after 500 refreshes within a fifth', async () => {
  const jobs = holdJobs();
  const world = await openWorld({ service: jobs.service, others: ['harbor', 'lakeside'] });
  await world.addPeople(5);
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  const { page, complaints, close } = await openView(browser, world.url);
  onTestFinished(close);
  const devtools = await page.context().newCDPSession(page);
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    return (await devtools.send('Runtime.getHeapUsage')).usedSize;
  };
  // Refreshes the page as if all data had changed. Every part is therefore replaced each time.
  const refresh = async (times: number) => {
    await page.evaluate(
      `(async () => { for (let at = 0; at < ${times}; at += 1) { rendered.clear(); await fetchParts(); } })()`,
    );
  };
  for (const path of ['/', `/runs/${runId}`]) {
    await page.goto(world.url + path);
    // A run's chart is created when the second message arrives. The chart stops growing after a few minutes.
    if (path !== '/') await page.locator('#rate .uplot').waitFor();
    await refresh(WARM_UP);
    const before = await heap();
    await refresh(REFRESHES);
    expect((await heap()) / before, path).toBeLessThan(1.2);
  }
  jobs.letEnd();
  expect(complaints).toEqual([]);
});

it('comes back to a run when the connection was lost, and shows what happened meanwhile', async () => {
  const jobs = holdJobs();
  const world = await openWorld({ service: jobs.service });
  await world.addPeople(5);
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  const { page, close } = await openView(browser, world.url);
  onTestFinished(close);
  await page.goto(`${world.url}/runs/${runId}`);
  const submitted = page.locator('[data-station="submitted"]');
  await expect.poll(() => submitted.innerText()).toBe('5');
  await page.context().setOffline(true);
  jobs.letEnd();
  await world.untilEnded(runId);
  await page.context().setOffline(false);
  await page.locator('#run').getByText('Done').waitFor();
});
