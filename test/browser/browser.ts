import chromium from '@sparticuz/chromium';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium as driver, type Page } from 'playwright-core';
import { z } from 'zod';

/**
 * Copies Chromium from the npm package to a folder in which it can run, so that the machine needs no installation. If
 * two processes copied at the same time, one process could start an incomplete copy. Tests therefore call `openBrowser`
 * instead.
 */
export function unpackBrowser(): Promise<string> {
  return chromium.executablePath();
}

/**
 * Starts the browser without the package's own flags. The flags are meant for an environment without processes, and
 * they switch off a page's protection.
 */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  return driver.launch({
    // The root user in a container cannot use Chromium's sandbox.
    args: ['--no-sandbox'],
    executablePath,
    headless: true,
  });
}

/** The maximum time that a test waits for a page or a condition. It is long because test machines are busy. */
export const PATIENCE_MS = 60_000;

export interface View {
  page: Page;
  /** The errors on the console, the errors that scripts have thrown, and the requests to other sites. */
  complaints: string[];
  close(): Promise<void>;
}

export interface ViewOptions {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  javaScriptEnabled?: boolean;
  timezoneId?: string;
}

/** Opens a page in a separate session, and records every error on it. */
export async function openView(
  browser: Browser,
  origin: string,
  options: ViewOptions = {},
): Promise<View> {
  const { width = 1180, height = 900, ...others } = options;
  const viewport = { width, height };
  const context = await browser.newContext({ viewport, locale: 'en-US', ...others });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`asked for ${request.url()}`);
  });
  return { page, complaints, close: () => closeContext(context) };
}

/** Follows the one-time link of `serve` and creates the owner's account. Skips the form for the server's address. */
export async function createOwner(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Name').fill('Dana Reyes');
  await page.getByLabel('E-mail').fill('dana@example.org');
  await page.getByLabel('Password').fill(OWNER_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Dana Reyes (owner)').waitFor();
  // If the settings do not contain an address, the service first asks for it.
  if (new URL(page.url()).pathname !== '/address') return;
  await page.getByRole('link', { name: /^Later/ }).click();
  await page.waitForURL(({ pathname }) => pathname !== '/address');
}

const OWNER_PASSWORD = 'copper lantern vivid otter';

function closeContext(context: BrowserContext): Promise<void> {
  return context.close();
}

const violationsSchema = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

/** Returns the accessibility problems that axe finds on the current page, and the element of each problem. */
export async function findBarriers(page: Page): Promise<string[]> {
  // The debugger evaluates this code, so the page's content security policy does not apply to it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const found = violationsSchema.parse(
    await page.evaluate('axe.run(document).then(({ violations }) => violations)'),
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
