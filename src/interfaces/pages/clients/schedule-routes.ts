/** Lets users pause or change the schedule. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { applySchedule, isOfFile, setInFile } from '../../../clients/apply-settings.ts';
import { readSchedule } from '../../../clients/schedules/schedule-calendar.ts';
import { isConfigurationError } from '../../../core/errors.ts';
import type { Schedule } from '../../../core/integration-settings.ts';
import { pauseScheduledRuns, resumeScheduledRuns } from '../../../operations/schedules.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { scheduleFormSchema, toSchedule, toScheduleForm } from './schedule-form.ts';

export function clientScheduleRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const { store } = application;
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);
  const findClient = (c: Context<HttpEnv>) =>
    findIntegration(c, application, c.req.param('id') ?? '');

  app.get('/clients/:id/schedule', frame.see('viewer'), async (c) => {
    const integration = findClient(c);
    const query = c.req.query();
    const isAsked = 'rhythm' in query;
    const form = isAsked ? scheduleFormSchema.parse(query) : toScheduleForm(integration.schedule);
    const wanted = isAsked ? lookAt(() => toSchedule(form, integration.schedule)) : null;
    const inForce = await readSchedule(store.reader, integration);
    const preview =
      wanted?.schedule === undefined
        ? null
        : await readSchedule(store.reader, { ...integration, schedule: wanted.schedule });
    const { renderSchedule } = await import('./schedule-page.tsx');
    const view = {
      integration,
      form,
      inForce,
      preview,
      problem: wanted?.problem ?? null,
      isOfFile: isOfFile(application.settings, integration),
      note: NOTES[noteSchema.parse(query['note'])],
    };
    return c.html(renderSchedule(frame.getViewer(c.var.principal), view));
  });

  app.post(
    '/clients/:id/schedule',
    frame.act('admin'),
    limitBody(MAX_API_BODY_BYTES),
    async (c) => {
      const integration = findClient(c);
      if (isOfFile(application.settings, integration)) throw setInFile(integration);
      const form = scheduleFormSchema.parse(await readForm(c));
      const schedule = toSchedule(form, integration.schedule);
      const acting = { ...application, store: store.actingAs(c.get('actor')) };
      await applySchedule(acting, integration.id, schedule);
      await (deps.takeUp ?? application.refresh)();
      return c.redirect(`/clients/${integration.id}/schedule?note=saved`, 303);
    },
  );

  add('/clients/:integration/schedule/pause', pauseScheduledRuns, { answer: back('paused') });
  add('/clients/:integration/schedule/resume', resumeScheduledRuns, { answer: back('resumed') });
  return app;
}

function back(note: 'paused' | 'resumed') {
  return (c: Context<HttpEnv>, { integration }: { integration: string }) =>
    c.redirect(`/clients/${integration}/schedule?note=${note}`, 303);
}

function lookAt(read: () => Schedule | null): {
  schedule?: Schedule | null;
  problem: string | null;
} {
  try {
    return { schedule: read(), problem: null };
  } catch (error) {
    if (isConfigurationError(error)) return { problem: error.message };
    throw error;
  }
}

const NOTES = {
  '': null,
  saved: 'Saved. The schedule applies from now on.',
  paused: 'Paused. No scheduled run starts until you resume the schedule.',
  resumed: 'Resumed. The next run starts at the next scheduled time.',
} as const;

const noteSchema = z.enum(['', 'saved', 'paused', 'resumed']).catch('');
