/**
 * Takes the screenshots for the documents in a browser, in light and in dark mode. The screenshots show the demo with
 * its fictional people. The script adds earlier nights to the demo's database, because a new demo has none.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import { stringify } from 'csv-stringify/sync';
import type { Page } from 'playwright-core';
import { launchBrowser, unpackBrowser } from '../test/browser/browser.ts';
import { controlService } from '../test/helpers/service-control.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/images');

/**
 * The size of the window. Its width is limited, because documents show pictures next to text. In wider pictures, the
 * letters would be too small.
 */
const VIEWPORT = { width: 1_100, height: 700 };

/** The quality of the pictures. With this quality, small letters stay sharp. */
const QUALITY = 82;

const DAY_MS = 86_400_000;
const NIGHTS = 13;
const CLIENTS = ['demo', 'demo-salesforce', 'demo-hubspot'] as const;

/** A page, and the steps to take before the screenshot. */
export interface Shot {
  name: string;
  path(tour: Tour): string;
  prepare?(page: Page, tour: Tour): Promise<unknown>;
  isDark?: true;
}

/** The addresses and names that the demo prints. Addresses start with a slash. */
export interface Tour {
  url: string;
  run: string;
  decision: string;
  contacts: string;
  service: string;
  key: string;
}

export const SHOTS: readonly Shot[] = [
  { name: 'home', path: () => '/', isDark: true },
  { name: 'run', path: ({ run }) => run, isDark: true },
  {
    name: 'decision',
    path: ({ decision }) => decision,
    prepare: (page) => page.getByText('In the profile').first().waitFor(),
  },
  {
    name: 'network',
    path: () => '/networks/demo-salesforce',
    prepare: async (page) => {
      const names = page.getByText('Show all names', { exact: true });
      if ((await names.count()) > 0) await names.click();
      // The page needs some time for its layout.
      await page.waitForTimeout(2_500);
      await page.evaluate('document.querySelector("canvas").scrollIntoView({ block: "center" })');
    },
    isDark: true,
  },
  {
    name: 'credits',
    path: () => '/credits',
    prepare: (page) =>
      page.evaluate('document.querySelector("canvas").scrollIntoView({ block: "center" })'),
  },
  { name: 'setup-people', path: () => '/setup', prepare: beginSetup },
  { name: 'setup-plan', path: () => '/setup', prepare: endSetup },
  // This screenshot comes late, because all pages require a sign-in after a user has been created.
  { name: 'people', path: () => '/users', prepare: invitePeople },
];

if (import.meta.main) await takeAll();

async function takeAll(): Promise<void> {
  const demo = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), 'demo', '--tour'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  const exited = once(demo, 'exit');
  try {
    const tour = await readTour(demo.stdout);
    addNights(join(dirname(tour.contacts), 'donor-sync.db'));
    await mkdir(FOLDER, { recursive: true });
    const browser = await launchBrowser(await unpackBrowser());
    try {
      const page = await browser.newPage({ viewport: VIEWPORT, locale: 'en-US' });
      for (const shot of SHOTS) await take(page, shot, tour);
    } finally {
      await browser.close();
    }
    demo.kill('SIGTERM');
    await exited;
    await rm(dirname(tour.contacts), { recursive: true });
  } finally {
    demo.kill('SIGTERM');
    await exited;
  }
}

async function take(page: Page, { name, path, prepare, isDark }: Shot, tour: Tour): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(tour.url + path(tour));
  await prepare?.(page, tour);
  await write(page, `${name}.webp`);
  if (!isDark) return;
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.reload();
  await prepare?.(page, tour);
  await write(page, `${name}-dark.webp`);
}

async function write(page: Page, file: string): Promise<void> {
  const image = await capture(page);
  await writeFile(join(FOLDER, file), image);
  process.stdout.write(`docs/images/${file}  ${Math.round(image.length / 1_000)} kB\n`);
}

/** Takes a screenshot. If the page has just been loaded, the browser may respond with an error. */
async function capture(page: Page, attempts = 5): Promise<Buffer> {
  await page.waitForTimeout(400);
  const session = await page.context().newCDPSession(page);
  try {
    const format = { format: 'webp', quality: QUALITY } as const;
    const { data } = await session.send('Page.captureScreenshot', format);
    return Buffer.from(data, 'base64');
  } catch (error) {
    if (attempts === 1) throw error;
  } finally {
    await session.detach();
  }
  return capture(page, attempts - 1);
}

async function readTour(stdout: Readable): Promise<Tour> {
  let text = '';
  stdout.setEncoding('utf8');
  for await (const chunk of stdout) {
    text += String(chunk);
    if (text.includes('Press Ctrl-C to stop')) break;
  }
  const found = (pattern: RegExp) => {
    const [, value] = pattern.exec(text) ?? [];
    if (value === undefined) throw new Error(`the demo does not say ${pattern}:\n${text}`);
    return value;
  };
  return {
    url: found(/(http:\/\/[\d.]+:\d+)\/credits/),
    run: found(/(\/runs\/\S+)/),
    decision: found(/(\/decisions\/\S+)/),
    contacts: found(/drop the file (\S+),/),
    service: new URL(found(/fictional people: (\S+)/)).origin,
    key: found(/The key is (\S+)/),
  };
}

/** Adds a week and a half of ordinary nights. One night stopped early, and one night failed. */
function addNights(path: string): void {
  const db = new Sqlite(path);
  const run = db.prepare(
    `insert into runs (id, integration_id, epoch, "trigger", contact, "full", status, reason_code, reason_message,
       started_at, finished_at, read_count, chosen_count, submitted_count, enhanced_count, shared_count,
       spent_enhancements, fresh_count, report, reasons)
     values (@id, @client, 0, 'schedule', '', 0, @status, @code, @message, @startedAt, @startedAt + 240000, 60, @spent,
       @spent, @spent, 0, @spent, 0, @report, '{}')`,
  );
  const paid = db.prepare(
    `insert into submissions (id, integration_id, run_id, partner_key, slot, mapping, state, persons, charged, balance_before, intended_at)
     select @id, @client, @id, partner_key, slot, mapping, 'closed', @spent, @spent, 400, @startedAt from submissions limit 1`,
  );
  const span = db.prepare(
    `insert into credit_spans (integration_id, span, at, enhancements, networks, queries, written)
     values (?, ?, ?, ?, 0, 0, ?) on conflict do update set enhancements = enhancements + excluded.enhancements,
       written = written + excluded.written`,
  );
  // A night is the time from one noon to the next noon. The current night contains the demo's runs.
  const lastNight = Math.floor((Date.now() - DAY_MS / 2) / DAY_MS) * DAY_MS + DAY_MS / 12;
  for (const [place, client] of CLIENTS.entries()) {
    for (let night = 0; night < NIGHTS; night += 1) {
      const startedAt = lastNight - night * DAY_MS + place * 600_000;
      const code = codeOf(client, night);
      const status = code === 'unexpected_error' ? 'failed' : code ? 'incomplete' : 'succeeded';
      const spent = status === 'failed' ? 0 : (night * 7 + place * 5) % 12;
      const id = createHash('sha256').update(`${client} ${night}`).digest('hex').slice(0, 32);
      const report = reportOf({ id, client, status, code, startedAt, spent });
      const times = { startedAt, spent, report: JSON.stringify(report) };
      run.run({ id, client, status, code, message: code, ...times });
      paid.run({ id, client, spent, startedAt });
      const day = new Date(startedAt).toISOString().slice(0, 10);
      for (const scope of [client, '']) {
        span.run(scope, 'day', day, spent, spent);
        span.run(scope, 'month', day.slice(0, 7), spent, spent);
      }
    }
  }
  db.close();
}

function codeOf(client: string, night: number): string | null {
  if (client === 'demo-salesforce' && night === 4) return 'crm_unavailable';
  return client === 'demo-hubspot' && night === 9 ? 'unexpected_error' : null;
}

interface Night {
  id: string;
  client: string;
  status: string;
  code: string | null;
  startedAt: number;
  spent: number;
}

function reportOf({ id, client, status, code, startedAt, spent }: Night) {
  return {
    ...{ id, integration: client, trigger: 'schedule', status },
    reason: code === null ? null : { code, message: code },
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(startedAt + 240_000).toISOString(),
    contacts: {
      ...{ read: 60, chosen: spent, submitted: spent, enhanced: spent, written: spent },
      ...{ unchanged: 60 - spent, skipped: 0, failed: 0, held: 0, waiting: 0 },
    },
    credits: {
      enhancements: { spent, remaining: 400 },
      networks: { spent: 0, remaining: 400 },
    },
    ...{ networks: [], calls: { partner: 9, crm: 6, throttled: 0 } },
  };
}

/** The first user is the owner, who then invites the other users. */
async function invitePeople(page: Page): Promise<void> {
  await invite(page, 'Anna Kowalski', 'anna@example.org', 'owner');
  await page.goto(await page.locator('#shown-secret').inputValue());
  await page.getByLabel('Password', { exact: true }).fill('four invented words here');
  await page.locator('form button.primary').click();
  await page.waitForLoadState();
  await page.goto(new URL('/users', page.url()).href);
  await invite(page, 'Ben Okafor', 'ben@example.org', 'decider');
  await page.goto(new URL('/users', page.url()).href);
  await invite(page, 'Clara Lindgren', 'clara@example.org', 'viewer');
  await page.goto(new URL('/users', page.url()).href);
}

async function invite(page: Page, name: string, email: string, role: string): Promise<void> {
  await page.locator('#name').fill(name);
  await page.locator('#email').fill(email);
  await page.locator('#invite-role').selectOption(role);
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.locator('#shown-secret').waitFor();
}

/**
 * Writes people whom the service knows but whom no client of the demo has enhanced. Therefore, the plan for these
 * people costs credits.
 */
async function writeDonors({ contacts, service }: Tour): Promise<string> {
  const people = await controlService({ rootUrl: service }).people(180);
  const rows = people.slice(80).map(({ id, firstName, lastName, addresses, employers }) => ({
    ...{ 'Donor ID': id, 'First Name': firstName, 'Last Name': lastName },
    ...{ Address: addresses[0], Employer: employers[0], Role: 'Donor' },
  }));
  const path = join(dirname(contacts), 'donors.csv');
  await writeFile(path, stringify(rows, { header: true }));
  return path;
}

async function beginSetup(page: Page, tour: Tour): Promise<void> {
  await page.getByLabel('Name of the nonprofit').fill('Riverside Food Bank');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByLabel('Choose a file').setInputFiles(await writeDonors(tour));
  await page.getByRole('region', { name: 'The first rows of the file' }).waitFor();
  await page.getByRole('button', { name: 'Use this file' }).click();
  await page.getByLabel('Key', { exact: true }).fill(tour.key);
  await page.getByRole('button', { name: 'Test the key' }).click();
  await page.getByText('The service knows this key').waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'As they would be sent' }).waitFor();
}

/** Completes the set-up that an earlier screenshot has started. */
async function endSetup(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Riverside Food Bank' }).first().click();
  await page.getByRole('heading', { name: 'As they would be sent' }).waitFor();
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('It runs').selectOption('none');
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.getByRole('button', { name: /^Try it on/ }).waitFor();
  // The cost is below the choices.
  const cost = page.getByText('To be enhanced', { exact: true });
  await cost.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}
