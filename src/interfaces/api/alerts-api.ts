/** Alerts: which rules there are, what there was about an integration, and a test of the channels. */
import { createRoute, z } from '@hono/zod-openapi';
import { createChannels } from '../../clients/alerts/channels.ts';
import { type ChannelTest, testChannels } from '../../clients/alerts/check-channels.ts';
import { recoveryText } from '../../clients/alerts/conditions.ts';
import { listAlertsByClient } from '../../clients/statements/alerts.ts';
import { ALERT_KINDS, type AlertKind, type AlertSettings } from '../../core/alert-settings.ts';
import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Access } from './access.ts';
import { findIntegration, requireAllClients } from './request/client-access.ts';
import type { HttpDeps } from './request/context.ts';
import { createRouter, json, problems } from './request/router.ts';

/** A rule of the settings, in words. */
export interface AlertRule {
  kind: AlertKind;
  text: string;
  isOn: boolean;
}

/** Something that people were notified of, or will be. */
export interface PastAlert {
  subject: string;
  text: string;
  /** ISO 8601. */
  since: string;
  overAt: string | null;
  sentAt: string | null;
}

export interface AlertsView {
  /** As the settings call them; who receives what is not shown. */
  channels: ('email' | 'webhook')[];
  /** What this integration has beside them. */
  own: 'webhook'[];
  rules: AlertRule[];
  /** The newest first. */
  history: PastAlert[];
}

/** What became of a test; `isOwn`: of the channel that an integration has of its own. */
export type ShownTrial = ChannelTest & { isOwn: boolean };

export async function readAlerts(
  { application: { store, settings } }: Pick<HttpDeps, 'application'>,
  { id: integrationId, alerts: own }: Pick<Integration, 'id' | 'alerts'>,
): Promise<AlertsView> {
  const { alerts } = settings;
  const rows = await listAlertsByClient(store.reader, integrationId);
  return {
    channels: createChannels(alerts).map(({ name }) => name),
    own: own === undefined ? [] : ['webhook'],
    rules: ALERT_KINDS.map((kind) => ({ kind, ...describeRule(kind, alerts) })),
    history: rows.map(({ subject, since, overAt, sentAt }) => ({
      subject,
      text: overAt === null ? describeSubject(subject) : recoveryText(subject),
      since: isoTime(since),
      overAt: overAt === null ? null : isoTime(overAt),
      sentAt: sentAt === null ? null : isoTime(sentAt),
    })),
  };
}

function describeRule(kind: AlertKind, settings: AlertSettings): Omit<AlertRule, 'kind'> {
  const { creditsBelow, failedAbovePercent, keyExpiresWithinDays } = settings;
  const isOn = settings.on.includes(kind);
  switch (kind) {
    case 'runFailed':
      return { text: 'a run failed', isOn };
    case 'runStopped':
      return { text: 'a run stopped before its end', isOn };
    case 'keyExpires':
      return { text: `the partner key expires within ${keyExpiresWithinDays} days`, isOn };
    case 'creditsLow': {
      const { enhancements, networks } = creditsBelow;
      const text = `fewer than ${enhancements} credits for enhancements are left, or ${networks} for networks`;
      return { text, isOn: isOn && enhancements + networks > 0 };
    }
    case 'held':
      return { text: 'something waits for a person', isOn };
    case 'auditEnd':
      return { text: 'once a day, where the audit ends', isOn };
    case 'manyFailed': {
      const share = failedAbovePercent === null ? 'a set share' : `${failedAbovePercent} %`;
      const text = `more than ${share} of the contacts of a run failed`;
      return { text, isOn: isOn && failedAbovePercent !== null };
    }
  }
}

const SUBJECTS: Readonly<Record<string, string>> = {
  run_failed: 'the last run failed',
  run_stopped: 'the last run stopped before its end',
  many_failed: 'many contacts of the last run failed',
  key_expires: 'the partner key is about to expire',
  credits_low: 'few credits are left',
  held: 'something waits for a person',
  held_batch: 'the details of many contacts changed at once',
};

function describeSubject(subject: string): string {
  const [word = '', detail] = subject.split('/');
  const isWord = word !== 'held_batch' && detail !== undefined;
  return `${SUBJECTS[word] ?? word}${isWord ? ` (${detail.replaceAll('_', ' ')})` : ''}`;
}

const alertsSchema = z
  .object({
    channels: z.array(z.enum(['email', 'webhook'])),
    own: z.array(z.literal('webhook')).openapi({
      description: 'What this integration has beside the channels of the whole installation.',
    }),
    rules: z.array(z.object({ kind: z.enum(ALERT_KINDS), text: z.string(), isOn: z.boolean() })),
    history: z.array(
      z.object({
        subject: z.string(),
        text: z.string(),
        since: z.iso.datetime(),
        overAt: z.iso.datetime().nullable(),
        sentAt: z.iso.datetime().nullable(),
      }),
    ),
  })
  .openapi('Alerts');

const trialsSchema = z.object({
  channels: z.array(
    z.object({
      channel: z.enum(['email', 'webhook']),
      ok: z.boolean(),
      problem: z.string().nullable(),
    }),
  ),
});

function showRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations/{id}/alerts',
    tags: ['Alerts'],
    summary: 'Show what is reported of an integration, and what there was',
    middleware: [requireRole('viewer')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: { description: 'Channels, rules and history.', ...json(alertsSchema) },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

function testRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/alerts/test',
    tags: ['Alerts'],
    summary: 'Send a test message through each channel',
    description: 'For admins of all integrations.',
    middleware: [requireRole('admin')] as const,
    responses: {
      200: { description: 'What became of it.', ...json(trialsSchema) },
      ...problems.access,
    },
  });
}

/** The routes of alerts. */
export function alertRoutes(deps: HttpDeps, access: Access) {
  const { application } = deps;
  return createRouter()
    .openapi(showRoute(access), async (c) => {
      const integration = findIntegration(c, application, c.req.valid('param').id);
      return c.json(await readAlerts(deps, integration), 200);
    })
    .openapi(testRoute(access), async (c) => {
      requireAllClients(c);
      return c.json({ channels: await testChannels(application.settings) }, 200);
    });
}
