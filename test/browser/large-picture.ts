import type { Browser } from 'playwright-core';
import { openView, type View } from './browser.ts';

/** Returns data for a picture with this many people and this many connections between them. */
function describePicture(people: number, paths: number, members = 40) {
  const id = (index: number) => `person-${index}`;
  return {
    people: Array.from({ length: people }, (_, index) => ({
      id: id(index),
      label: `C${index}`,
      contact: `C${index}`,
      isMember: index < members,
    })),
    paths: Array.from({ length: paths }, (_, index) => ({
      from: id((index * 7) % members),
      to: id(members + (index % (people - members))),
      contact: `C${members + (index % (people - members))}`,
      strength: index < people - members ? 0.45 + ((index * 37) % 55) / 100 : null,
      network: 'Board',
    })),
  };
}

/** Opens the page of a network whose picture has this many people and connections. The picture is not drawn yet. */
export async function openLargePicture(
  browser: Browser,
  url: string,
  { people, paths }: { people: number; paths: number },
): Promise<View> {
  const view = await openView(browser, new URL(url).origin, { width: 1440 });
  const body = JSON.stringify(describePicture(people, paths));
  await view.page.route('**/picture*', (route) =>
    route.fulfill({ body, contentType: 'application/json' }),
  );
  return view;
}

/** Draws the whole picture on a network's page. */
export async function drawPicture({ page }: View, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('[data-drawn-ms]').waitFor();
}
