/** Shared functions for tests of pages. They open one browser for each test file, and they check each page. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/tables/tables.ts';
import {
  type HttpWorld,
  type HttpWorldOptions,
  openHttpWorld,
} from '../interfaces/api/http-world.ts';
import { findBarriers, openView, type View, type ViewOptions } from './browser.ts';
import { findHiddenFocus } from './focus.ts';
import { openBrowser } from './open-browser.ts';

export interface Rooms {
  openWorld(options?: HttpWorldOptions): Promise<HttpWorld>;
  /** Opens this path in a browser that is signed in. */
  visit(world: HttpWorld, path: string, as?: VisitOptions): Promise<View>;
}

export interface VisitOptions extends ViewOptions {
  token?: string;
  /** The cookie of a signed-in user, in the form `name=value`. */
  cookie?: string;
}

/** Closes services and pages after each test. */
export function openRooms(): Rooms {
  let browser: Browser;
  const opened: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const thing of opened.splice(0).reverse()) await thing.close();
  });
  return {
    async openWorld(options) {
      const world = await openHttpWorld(options);
      opened.push(world);
      return world;
    },
    async visit(world, path, { token, cookie, ...options } = {}) {
      const view = await openView(browser, world.url, options);
      opened.push(view);
      const { page } = view;
      if (cookie !== undefined) {
        const [name = '', value = ''] = cookie.split('=');
        await page.context().addCookies([{ name, value, url: world.url }]);
      }
      await page.goto(world.url + path);
      if (token !== undefined) {
        await page.getByLabel('Access token').fill(token);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
        if (new URL(page.url()).pathname !== path) await page.goto(world.url + path);
      }
      return view;
    },
  };
}

/** Opens the database of a service, so that a test can add data directly. */
export async function withDatabase(
  world: HttpWorld,
  work: (db: Database) => Promise<unknown>,
): Promise<void> {
  const { db, close } = await openDatabase(`sqlite:${world.folder}/store.db`);
  await work(db).finally(close);
}

/**
 * A script that counts the table rows that are too low for their content. On a phone, the cells of a row are below each
 * other.
 */
const CROWDED_ROWS = `[...document.querySelectorAll('tr')].filter(
  (row) => getComputedStyle(row).display !== 'table-row' && row.scrollHeight > row.clientHeight + 1,
).length`;

const WIDTHS = [375, 768, 1_440];
const THEMES = ['light', 'dark'] as const;

/**
 * Fails if axe finds a problem, if a focused element is not visible, if an element is wider than the screen, or if the
 * console contains a message. Makes the checks on a phone, a tablet and a large screen, in light and in dark mode.
 */
export async function expectSound({ page, complaints }: View): Promise<void> {
  const size = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(over), `too wide by so many pixels at ${width}`).toBe(0);
    expect(await page.evaluate(CROWDED_ROWS), `rows that run into the next at ${width}`).toBe(0);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      const { found } = await findHiddenFocus(page);
      const flaws = [...(await findBarriers(page)), ...found];
      expect(flaws, `${colorScheme} at ${width}: ${flaws.join('; ')}`).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (size !== null) await page.setViewportSize(size);
  expect(complaints).toEqual([]);
}
