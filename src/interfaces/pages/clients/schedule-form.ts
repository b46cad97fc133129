/** Reads the schedule form. Users describe a schedule in plain words or with a cron expression. */
import { z } from 'zod';
import { cronProblem, timezoneProblem } from '../../../clients/schedules/cron.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { type Schedule, scheduleSchema } from '../../../core/integration-settings.ts';
import { aboutField } from '../frame/refused-forms.ts';

export const RHYTHMS = {
  daily: 'every day',
  weekdays: 'on Monday to Friday',
  weekly: 'once a week',
  monthly: 'on the first of each month',
  hourly: 'every hour',
  cron: 'by a cron expression',
  none: 'on request',
} as const;

export const WEEKDAYS = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
] as const;

/** The schema of the form. An invalid value counts as omitted. */
export const scheduleFormSchema = z.object({
  rhythm: z
    .enum(['daily', 'weekdays', 'weekly', 'monthly', 'hourly', 'cron', 'none'])
    .catch('daily'),
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .catch('02:00'),
  weekday: z.coerce.number().int().min(0).max(6).catch(1),
  cron: z.string().trim().max(100).catch(''),
  // The time zone is UTC only if the user chose UTC. Otherwise, runs would start at an unexpected hour.
  timezone: z.string().trim().max(64).catch(''),
});

export type ScheduleForm = z.infer<typeof scheduleFormSchema>;

/** Converts the form into a schedule. Throws a ConfigurationError for an invalid expression or time zone. */
export function toSchedule(form: ScheduleForm, before: Schedule | null): Schedule | null {
  if (form.rhythm === 'none') return null;
  const cron = toCron(form);
  const { timezone } = form;
  const problems = {
    cron: cronProblem(cron),
    timezone: timezone === '' ? 'the time zone is missing' : timezoneProblem(timezone),
  };
  for (const [field, problem] of Object.entries(problems)) {
    if (problem === null) continue;
    const refusal = new ConfigurationError(`This schedule is not possible: ${problem}.`, {
      code: 'schedule_invalid',
    });
    throw aboutField(refusal, field);
  }
  return scheduleSchema.parse({ ...before, cron, timezone });
}

function toCron({ rhythm, time, weekday, cron }: ScheduleForm): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  switch (rhythm) {
    case 'weekdays':
      return `${minute} ${hour} * * 1-5`;
    case 'weekly':
      return `${minute} ${hour} * * ${weekday}`;
    case 'monthly':
      return `${minute} ${hour} 1 * *`;
    case 'hourly':
      return `${minute} * * * *`;
    case 'cron':
      return cron;
    default:
      return `${minute} ${hour} * * *`;
  }
}

export function toScheduleForm(schedule: Schedule | null): ScheduleForm {
  const empty = scheduleFormSchema.parse({});
  if (schedule === null) return { ...empty, rhythm: 'none' };
  const { cron, timezone } = schedule;
  const base = { ...empty, cron, timezone };
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(/\s+/);
  const isPlain = /^\d+$/.test(minute) && month === '*';
  if (!isPlain) return { ...base, rhythm: 'cron' };
  if (hour === '*') {
    const isHourly = day === '*' && weekday === '*';
    return { ...base, rhythm: isHourly ? 'hourly' : 'cron', time: `00:${minute.padStart(2, '0')}` };
  }
  if (!/^\d+$/.test(hour)) return { ...base, rhythm: 'cron' };
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (day === '1' && weekday === '*') return { ...base, time, rhythm: 'monthly' };
  if (day !== '*') return { ...base, rhythm: 'cron' };
  if (weekday === '*') return { ...base, time, rhythm: 'daily' };
  if (weekday === '1-5') return { ...base, time, rhythm: 'weekdays' };
  if (/^[0-6]$/.test(weekday)) return { ...base, time, rhythm: 'weekly', weekday: Number(weekday) };
  return { ...base, rhythm: 'cron' };
}
