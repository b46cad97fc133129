import { z } from 'zod';
import { readSchedule } from '../clients/schedules/schedule-calendar.ts';
import {
  listSchedules,
  pauseSchedule,
  requireScheduled,
  resumeSchedule,
} from '../clients/schedules/schedules.ts';
import type { Integration } from '../core/integration-settings.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import { findClient } from './kit/clients.ts';
import { changing, reading, type World } from './kit/operation.ts';

const input = z.object({ integration: z.string().describe('The ID of the client') });

const plannedShape = {
  cron: z.string().describe('A cron expression with five fields'),
  timezone: z.string(),
  nextRunAt: z.iso
    .datetime()
    .nullable()
    .describe('Null while the schedule is paused, or if its time never occurs'),
  paused: z.boolean(),
};

const daySchema = z.object({
  day: z.iso.date(),
  isToday: z.boolean(),
  runs: z.array(
    z.object({
      id: z.string(),
      startedAt: z.iso.datetime(),
      status: z.string(),
      reason: z.string().nullable().describe('Why it ended early; null if it did not'),
      trigger: z.string(),
    }),
  ),
  times: z.array(z.string()).describe("Local times in the schedule's time zone"),
  hasMore: z.boolean().describe('Whether the day has more runs or times'),
});

const scheduleSchema = z
  .object({
    integration: z.string(),
    schedule: z.object(plannedShape).nullable(),
    text: z.string().nullable().meta({ example: 'every day at 02:00' }),
    timezone: z.string(),
    past: z.array(daySchema).describe('The last 30 days, today first'),
    ahead: z.array(daySchema).describe('The next 30 days; empty while the schedule is paused'),
    changes: z
      .array(z.object({ day: z.iso.date(), minutes: z.number(), runAt: z.string().nullable() }))
      .describe('The next two clock changes, with the first run of each day'),
  })
  .meta({ id: 'Schedule' });

type Schedule = z.output<typeof scheduleSchema>;

export const listClientSchedules = reading({
  name: 'schedule list',
  summary: 'List the schedules and when each client runs next',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({
    schedules: z.array(z.object({ integration: z.string(), ...plannedShape })),
  }),
  run: async ({ reader, clients }) => ({
    schedules: await listSchedules(reader, clients.values()),
  }),
  say: ({ schedules }) => `${describeCount(schedules.length, 'schedule')}.`,
  table: ({ schedules }) => ({
    empty: 'No client has a schedule, so runs start only on request.',
    headers: ['Client', 'Schedule', 'Next run'],
    rows: schedules.map(({ integration, cron, timezone, nextRunAt, paused }) => [
      integration,
      `${cron} ${timezone}`,
      paused ? 'paused' : { on: nextRunAt },
    ]),
  }),
});

export const showSchedule = reading({
  name: 'schedule show',
  summary: "Show a client's schedule, its last runs and its next runs",
  details:
    "It covers the last 30 days and the next 30 days in the schedule's time zone, with clock changes.",
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input,
  subjects: ['integration'],
  result: scheduleSchema,
  run: (world, { integration }) => describe(world, findClient(world, integration)),
  say: (shown) => [describeRule(shown), ...describeDays(shown)],
});

export const pauseScheduledRuns = changing({
  name: 'schedule pause',
  summary: 'Pause a schedule: no scheduled run starts until you resume it',
  details: 'A run in progress continues.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input,
  subjects: ['integration'],
  result: scheduleSchema,
  async run(world, { integration }) {
    const client = requireScheduled(findClient(world, integration));
    await pauseSchedule(world.trx, client);
    return describe(world, client);
  },
  say: describeRule,
});

export const resumeScheduledRuns = changing({
  name: 'schedule resume',
  summary: 'Resume a paused schedule; missed runs are not repeated',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input,
  subjects: ['integration'],
  result: scheduleSchema,
  async run(world, { integration }) {
    const client = requireScheduled(findClient(world, integration));
    await resumeSchedule(world.trx, client);
    return describe(world, client);
  },
  say: describeRule,
});

async function describe({ reader }: World, client: Integration): Promise<Schedule> {
  return { integration: client.id, ...(await readSchedule(reader, client)) };
}

function describeRule({ integration, schedule, text }: Schedule): string {
  if (schedule === null) {
    return `${integration} has no schedule. It runs only when a user, a webhook or the API requests a run.`;
  }
  const { timezone, nextRunAt, paused } = schedule;
  const rule = `${integration} runs ${text} (${timezone}).`;
  if (paused) {
    return `${rule} The schedule is paused. No scheduled run starts until you resume it: donor-sync schedule resume ${integration}`;
  }
  if (nextRunAt === null) return `${rule} That time never occurs.`;
  return `${rule} The next run starts at ${formatTimestamp(nextRunAt)}.`;
}

/** The number of past and future days that the terminal shows. */
const SHOWN_DAYS = 3;

function describeDays({ past, ahead, changes }: Schedule): string[] {
  const next = ahead
    .filter(({ times }) => times.length > 0)
    .map(({ day, times }) => `${day} at ${times.join(', ')}`);
  const last = past
    .filter(({ runs }) => runs.length > 0)
    .map(
      ({ day, runs }) => `${day} ${runs.map(({ id, status }) => `${status} (${id})`).join(', ')}`,
    );
  return [
    ...changes.map(describeChange),
    ...describeList('Next runs', next),
    ...describeList('Last runs', last),
  ];
}

function describeList(title: string, days: readonly string[]): string[] {
  return days.length === 0 ? [] : [`${title}: ${days.slice(0, SHOWN_DAYS).join('; ')}.`];
}

function describeChange({ day, minutes, runAt }: Schedule['changes'][number]): string {
  const change = `On ${day} the clocks go ${minutes > 0 ? 'forward' : 'back'} by ${Math.abs(minutes)} minutes`;
  return runAt === null
    ? `${change}. No run starts on that day.`
    : `${change}. The first run of that day starts at ${runAt}.`;
}
