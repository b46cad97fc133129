import type { Command } from 'commander';
import type { Application } from '../../../application.ts';
import {
  isScheduled,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  type Scheduled,
  type ScheduleView,
} from '../../../clients/schedules/schedules.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { formatTimestamp } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync schedule list
  donor-sync schedule pause riverside     no run by schedule until it is resumed
  donor-sync schedule resume riverside

Schedules are kept by \`donor-sync serve\`; a pause counts at once, also for one that runs already.`;

/** The command `schedule`: when each integration runs next, and a pause for it. */
export function scheduleCommand(deps: ProductDeps): Command {
  return productCommand('schedule', deps)
    .description('show when each integration runs next, pause and resume')
    .addCommand(listCommand(deps))
    .addCommand(changeCommand(deps, 'pause', 'start no run by schedule any more', pauseSchedule))
    .addCommand(changeCommand(deps, 'resume', 'start runs by schedule again', resumeSchedule))
    .addHelpText('after', EXAMPLES);
}

function listCommand(deps: ProductDeps): Command {
  const command = productCommand('list', deps).description('list the schedules');
  return productAction(deps, command, baseOptions, async ({ application, output }) => {
    const { store, integrations } = application;
    await showSchedules(deps, store, output, integrations.values());
  });
}

function changeCommand(
  deps: ProductDeps,
  name: 'pause' | 'resume',
  description: string,
  change: typeof resumeSchedule,
): Command {
  const command = productCommand(name, deps)
    .description(description)
    .argument('<id>', 'the integration');
  return productAction(deps, command, baseOptions, async (action, id: string) => {
    const { application, output } = action;
    const integration = requireScheduled(application, id);
    await change({ ...deps, store: application.store }, integration);
    await showSchedules(deps, application.store, output, [integration]);
  });
}

function requireScheduled(application: Application, id: string): Integration & Scheduled {
  const [integration] = application.select([id]);
  if (integration && isScheduled(integration)) return integration;
  throw new ConfigurationError(
    `"${id}" has no schedule. Give it one in the settings: schedule: { cron: "0 2 * * *", timezone: America/Chicago }`,
    { code: 'schedule_missing', details: { integration: id } },
  );
}

async function showSchedules(
  { clock }: ProductDeps,
  store: Application['store'],
  output: Output,
  integrations: Iterable<Integration>,
): Promise<void> {
  const schedules = await listSchedules({ store, clock }, integrations);
  output.finish({ schedules }, () => printSchedules(output, schedules));
}

function printSchedules(output: Output, schedules: readonly ScheduleView[]): void {
  if (schedules.length === 0) {
    output.print('No integration has a schedule: all of them run only by hand.');
    return;
  }
  output.table<ScheduleView>(
    [
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      { header: 'Schedule', value: ({ cron, timezone }) => `${cron} ${timezone}` },
      { header: 'Next run', value: nextRunText },
    ],
    schedules,
  );
}

function nextRunText({ nextRunAt, paused }: ScheduleView): string {
  if (paused) return 'paused';
  return nextRunAt === null ? 'never' : formatTimestamp(nextRunAt);
}
