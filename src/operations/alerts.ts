/** Shows the reported alerts, tests the channels, and checks for alerts when a user requests it. */
import { z } from 'zod';
import { createChannels } from '../clients/alerts/channels.ts';
import {
  channelsUnset,
  ownChannelUnset,
  testChannels,
  testOwnChannel,
} from '../clients/alerts/check-channels.ts';
import { type AlertRecord, listAlerts } from '../clients/statements/alerts.ts';
import { describeAlert, readAlerts } from '../clients/views/alerts.ts';
import { ALERT_KINDS } from '../core/alert-settings.ts';
import { isoTime } from '../core/clock.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import { readLinkAddress } from '../people/server-address.ts';
import { findClient } from './kit/clients.ts';
import { acting, reading, type World } from './kit/operation.ts';

const CLIENT = z.string().describe('The ID of the client');

const channelSchema = z.enum(['email', 'webhook']);

const alertShape = {
  subject: z
    .string()
    .describe('A stable word for the problem, for example `run_failed/crm_unauthorized`'),
  text: z.string(),
  since: z.iso.datetime(),
  overAt: z.iso.datetime().nullable().describe('Null while the problem continues'),
  sentAt: z.iso.datetime().nullable().describe('Null until all channels have sent it'),
};

const shownSchema = z
  .object({
    channels: z.array(channelSchema).describe('The channels for all clients'),
    own: z
      .array(z.literal('webhook'))
      .describe("The client's own channels, in addition to those for all clients"),
    rules: z.array(z.object({ kind: z.enum(ALERT_KINDS), text: z.string(), isOn: z.boolean() })),
    history: z.array(z.object(alertShape)).describe('Newest first, at most 50'),
  })
  .meta({ id: 'Alerts' });

const testSchema = z
  .object({
    channels: z.array(
      z.object({ channel: channelSchema, ok: z.boolean(), problem: z.string().nullable() }),
    ),
  })
  .meta({ id: 'AlertTest' });

type Test = z.output<typeof testSchema>;

/** The maximum number of alerts in a list. Users do not read a longer list. The result also contains the total. */
const MOST_LISTED = 500;

export const listClientAlerts = reading({
  name: 'alerts list',
  summary: 'List the alerts of the clients, the newest first',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT.optional() }),
  subjects: [],
  result: z.object({
    alerts: z.array(z.object({ integration: z.string(), ...alertShape })).describe('At most 500'),
    total: z.int().describe('Total number of alerts, including those beyond the list'),
  }),
  async run(world, { integration }) {
    if (integration !== undefined) findClient(world, integration);
    const rows = (await listOwn(world))
      .filter(({ integrationId }) => integration === undefined || integrationId === integration)
      .sort((a, b) => b.since - a.since);
    const shown = rows.slice(0, MOST_LISTED);
    return {
      alerts: shown.map((row) => ({ integration: row.integrationId, ...describeAlert(row) })),
      total: rows.length,
    };
  },
  say: ({ total }) => `${describeCount(total, 'alert')}.`,
  table: ({ alerts }) => ({
    empty: 'Nothing was reported.',
    headers: ['Client', 'What', 'Began', 'Ended', 'Sent'],
    rows: alerts.map(({ integration, text, since, overAt, sentAt }) => [
      ...[integration, text],
      { at: since },
      overAt === null ? 'not yet' : { at: overAt },
      sentAt === null ? 'not yet' : { at: sentAt },
    ]),
  }),
});

export const showAlerts = reading({
  name: 'alerts show',
  summary: "Show a client's channels, open problems and past alerts",
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: shownSchema,
  run: (world, { integration }) =>
    readAlerts(world.reader, world.application.settings.alerts, findClient(world, integration)),
  say({ channels, own, rules, history }) {
    const ways = [...channels, ...own.map((way) => `its own ${way}`)];
    return [
      ways.length === 0 ? 'Nobody is notified.' : `Sent by ${ways.join(' and ')}.`,
      ...rules.map(({ kind, text, isOn }) => `${isOn ? 'on ' : 'off'}  ${kind}: ${text}`),
      ...(history.length === 0 ? ['Nothing was reported.'] : ['Past alerts:']),
      ...history.map(
        ({ text, since, overAt }) =>
          `  ${formatTimestamp(since)}  ${text}${overAt === null ? '' : ` (resolved ${formatTimestamp(overAt)})`}`,
      ),
    ];
  },
});

export const testAlerts = acting({
  name: 'alerts test',
  summary: 'Send a test message through each channel',
  role: 'admin',
  reach: 'all',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: testSchema,
  async run(world) {
    const url = await findLinkAddress(world);
    const { application, signal } = world;
    return { channels: await testChannels(application.settings.alerts, url, signal) };
  },
  say: describeTest,
  ending: endTest,
});

export const testOwnAlerts = acting({
  name: 'alerts test-own',
  summary: "Send a test message through a client's own channel",
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: testSchema,
  async run(world, { integration }) {
    const client = findClient(world, integration);
    const { guard } = world.application;
    const fetch = guard.fetchFor(client);
    const url = await findLinkAddress(world);
    const tested = await testOwnChannel(client.alerts, url, fetch);
    if (tested === null) throw ownChannelUnset(client.id);
    return { channels: [tested] };
  },
  say: describeTest,
  ending: endTest,
});

export const checkAlerts = acting({
  name: 'alerts check',
  summary: 'Check all clients now, send what has changed, and list the open problems',
  role: 'admin',
  reach: 'all',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({
    alerts: z.array(
      z.object({
        integration: z.string(),
        subject: z.string(),
        since: z.iso.datetime(),
        sent: z.boolean().describe('False until all channels have sent it'),
      }),
    ),
  }),
  async run(world) {
    const hasOwn = [...world.clients.values()].some(({ alerts }) => alerts !== undefined);
    const hasChannels = createChannels(world.application.settings.alerts).length > 0;
    if (!hasOwn && !hasChannels) throw channelsUnset();
    await world.checkAlerts();
    const open = (await listOwn(world)).filter(({ overAt }) => overAt === null);
    return {
      alerts: open.map(({ integrationId: integration, subject, since, sentAt }) => {
        return { integration, subject, since: isoTime(since), sent: sentAt !== null };
      }),
    };
  },
  say: ({ alerts }) => `${describeCount(alerts.length, 'open problem')}.`,
  table: ({ alerts }) => ({
    empty: 'There are no problems.',
    headers: ['Client', 'What', 'Began', 'Sent'],
    rows: alerts.map(({ integration, subject, since, sent }) => [
      ...[integration, subject],
      { at: since },
      sent ? 'yes' : 'not yet',
    ]),
  }),
  ending: ({ alerts }) => (alerts.every(({ sent }) => sent) ? 'done' : 'stopped'),
});

/** Returns the alerts of the caller's clients, by client and subject. */
async function listOwn({ reader, clients }: World): Promise<AlertRecord[]> {
  return (await listAlerts(reader)).filter(({ integrationId }) => clients.has(integrationId));
}

function describeTest({ channels }: Test): string[] {
  return channels.map(({ channel, problem }) =>
    problem === null ? `✓ ${channel}: the message was accepted.` : `✗ ${channel}: ${problem}`,
  );
}

function endTest({ channels }: Test): 'done' | 'refused' {
  return channels.every(({ ok }) => ok) ? 'done' : 'refused';
}

/** Returns the address for links in messages. Returns null in the terminal, unless the server's address is set. */
function findLinkAddress(world: World): Promise<string | null> {
  return readLinkAddress(
    world.reader,
    world,
    world.caller.kind === 'machine' ? null : world.publicUrl,
  );
}
