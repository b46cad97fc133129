import type { Browser } from 'playwright-core';
import { inject } from 'vitest';
import { launchBrowser } from './browser.ts';

/** Starts the browser, which is unpacked once for all tests in this run. */
export async function openBrowser(): Promise<Browser> {
  const response = await fetch(inject('browserUrl'));
  if (!response.ok) throw new Error(`No browser: ${await response.text()}`);
  return launchBrowser(await response.text());
}
