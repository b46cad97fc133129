/**
 * A stand-in for a contact's record page with an app's card. As in HubSpot, the card runs in a worker. The worker
 * cannot access the page or the network. The page draws the components that the card names, and sends the card's
 * requests, which the account's stand-in signs.
 */
import { Hono } from 'hono';
import { html, raw } from 'hono/html';
import { z } from 'zod';
import { serve } from '../../../testbed/serving.ts';
import { OWNER } from '../account/account.ts';
import { PAGE_SCRIPT } from './page-script.ts';

export interface RecordPageOptions {
  /** The stand-in for the account that the page shows. */
  account: { rootUrl: string; portalId: number };
  /** The files of the app's project, by their paths. */
  project: ReadonlyMap<string, string>;
  /**
   * The card, compiled for the worker. The card calls `extend_V2` with a function that returns the components to show.
   */
  card: string;
  /** A module with `createRemoteReceiver`. With this function, the page receives the card's components. */
  receiver: string;
}

/** A user of the account. */
export interface PageUser {
  userId: number;
  userEmail: string;
}

export interface RecordPage {
  /**
   * Returns the address of a contact's page for a user of the account. The default user is the owner of the records.
   */
  urlOf(contact: string, user?: PageUser): string;
  /** The address. The address has no trailing slash. */
  url: string;
  close(): Promise<void>;
}

const appSchema = z.object({
  config: z.object({ permittedUrls: z.object({ fetch: z.array(z.url()) }) }),
});
const cardSchema = z.object({
  type: z.literal('card'),
  config: z.object({
    name: z.string(),
    location: z.literal('crm.record.tab'),
    objectTypes: z.array(z.string()),
  }),
});
const fetchSchema = z.object({
  url: z.url(),
  body: z.unknown(),
  userId: z.coerce.number().int(),
  userEmail: z.string(),
});
const sentSchema = z.object({ status: z.number().nullable(), answer: z.string() });

/**
 * Starts the stand-in. The promise resolves when the stand-in accepts requests. Throws if the project has no card for
 * contacts.
 */
export async function startRecordPage(options: RecordPageOptions): Promise<RecordPage> {
  const { account, project, card, receiver } = options;
  const { permittedUrls } = appSchema.parse(readConfig(project, 'app-hsmeta.json')).config;
  const { name, objectTypes } = cardSchema.parse(readConfig(project, 'card-hsmeta.json')).config;
  if (!objectTypes.includes('contacts')) throw new Error('The card is not for contacts.');

  const app = new Hono();
  app.get('/contacts/:portal/record/0-1/:contact', (c) => {
    const boot = { portalId: account.portalId, contact: c.req.param('contact'), ...c.req.query() };
    return c.html(renderPage(name, boot));
  });
  app.get('/modules/:name', (c) => {
    const text = { 'card.js': card, 'receiver.js': receiver }[c.req.param('name')];
    return text === undefined
      ? c.notFound()
      : c.body(text, 200, { 'content-type': 'text/javascript' });
  });
  app.post('/card-fetch', async (c) => {
    const { url, body, userId, userEmail } = fetchSchema.parse(await c.req.json());
    // HubSpot sends requests only to the addresses in the app's configuration.
    if (
      !permittedUrls.fetch.some((permitted) => new URL(url).origin === new URL(permitted).origin)
    ) {
      return c.json({ status: 400, answer: 'The address is not among permittedUrls.' });
    }
    const sent = await fetch(`${account.rootUrl}/_sandbox/webhooks/card`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url, body, userId, userEmail }),
    });
    return c.json(sentSchema.parse(await sent.json()));
  });
  const { rootUrl, close } = await serve(app, { close: () => {} }, {});
  return {
    url: rootUrl,
    urlOf(contact, user = { userId: OWNER.userId, userEmail: OWNER.email }) {
      const query = new URLSearchParams({ userId: `${user.userId}`, userEmail: user.userEmail });
      return `${rootUrl}/contacts/${account.portalId}/record/0-1/${contact}?${query}`;
    },
    close,
  };
}

function readConfig(project: ReadonlyMap<string, string>, ending: string): unknown {
  const [, text] = [...project].find(([path]) => path.endsWith(ending)) ?? [];
  if (text === undefined) throw new Error(`The project has no file that ends in ${ending}.`);
  return JSON.parse(text);
}

function renderPage(name: string, boot: Record<string, unknown>) {
  const script = JSON.stringify(boot).replaceAll('<', '\\u003c');
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Contact | HubSpot</title>
<link rel="icon" href="data:,"></head>
<body><main><h1>Contact ${String(boot['contact'])}</h1>
<section aria-labelledby="card-title"><h2 id="card-title">${name}</h2><div id="card"></div></section></main>
<script type="application/json" id="boot">${raw(script)}</script>
<script type="module">${raw(PAGE_SCRIPT)}</script></body></html>`;
}
