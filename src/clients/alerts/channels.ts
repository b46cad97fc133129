import type { AlertSettings, OwnAlerts } from '../../core/alert-settings.ts';
import { isConfigurationError, messageOf } from '../../core/errors.ts';
import { plainLine, plainText } from '../../core/printable.ts';
import { outboundFetch } from '../../outbound/guard.ts';
import { createEmailChannel } from './email.ts';
import type { Channel } from './message.ts';

/** They do not open a connection yet. */
export function createChannels({
  email,
  webhook,
}: Pick<AlertSettings, 'email' | 'webhook'>): Channel[] {
  const channels = [
    ...(email === null ? [] : [createEmailChannel(email)]),
    ...(webhook === null ? [] : [createWebhookChannel(webhook, outboundFetch('anywhere'))]),
  ];
  return channels.map(plainly);
}

/** `fetch` sends its messages. For an address that was set in a browser, `fetch` first checks the address. */
export function createOwnChannel(
  own: OwnAlerts | undefined,
  fetch: typeof globalThis.fetch = outboundFetch('anywhere'),
): Channel | null {
  return own === undefined ? null : plainly(createWebhookChannel(own.webhook, fetch));
}

/** Names in a message may come from a CRM, so they are escaped and the title stays on one line. */
function plainly({ name, send }: Channel): Channel {
  return {
    name,
    send: ({ title, text }, signal) =>
      send({ title: plainLine(title), text: plainText(text) }, signal),
  };
}

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Creates a channel for a webhook that accepts the same messages as Slack's webhooks, such as a webhook of Mattermost
 * or Teams.
 */
function createWebhookChannel(
  { url }: NonNullable<AlertSettings['webhook']>,
  fetch: typeof globalThis.fetch,
): Channel {
  return {
    name: 'webhook',
    async send({ title, text }, signal) {
      const reply = await post(fetch, url, { text: escaped(`${title}\n\n${text}`) }, signal);
      await reply.body?.cancel();
      if (!reply.ok) throw new Error(`The webhook responded with status ${reply.status}.`);
    },
  };
}

/** The address is a secret, so errors never contain it, and redirects are not followed. */
async function post(
  send: typeof globalThis.fetch,
  url: string,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
  } catch (error) {
    throw new Error(`The webhook cannot be reached: ${describeCause(error)}`);
  }
}

function describeCause(error: unknown): string {
  // The error contains the host, which is part of the secret address.
  if (isConfigurationError(error)) {
    return 'its address was set in a browser and leads into a private network.';
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code ?? messageOf(error);
}

/** Escapes the three characters that Slack reads as markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
