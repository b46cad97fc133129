import type { Command } from 'commander';
import {
  listClientSchedules,
  pauseScheduledRuns,
  resumeScheduledRuns,
  showSchedule,
} from '../../../operations/schedules.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync schedule list
  donor-sync schedule show riverside      its last runs, its next runs and the next clock changes
  donor-sync schedule pause riverside     no scheduled run until you resume
  donor-sync schedule resume riverside

\`donor-sync serve\` starts scheduled runs. A pause takes effect at once, even for a server that is already running.`;

export function scheduleCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'schedule', 'List, show, pause and resume schedules', [
    operationCommand(deps, listClientSchedules),
    operationCommand(deps, showSchedule),
    operationCommand(deps, pauseScheduledRuns),
    operationCommand(deps, resumeScheduledRuns),
  ]).addHelpText('after', EXAMPLES);
}
