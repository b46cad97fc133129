/** Lists the next steps for the user after a run. */
import type { RunReport } from '../../core/run.ts';
import { shortId } from '../../core/short-id.ts';
import { adviceFor, stepText } from './advice.ts';

/**
 * Returns the user's next steps after a run as complete sentences with commands, most urgent first. `contactsListed` is
 * true if the same output lists the failed contacts. `isLimited` is true if the run had its own limit.
 */
export function nextSteps(
  report: RunReport,
  {
    contactsListed = false,
    isLimited = false,
  }: { contactsListed?: boolean; isLimited?: boolean } = {},
): string[] {
  const { contacts, integration } = report;
  const isAtOwnLimit = isLimited && report.reason?.code === 'budget_reached';
  const steps = isAtOwnLimit ? [] : stepsAfterStop(report);
  if (contacts.held > 0) steps.push('Make the pending decisions: donor-sync holds');
  if (contacts.failed > 0 && !contactsListed) {
    steps.push(`See why contacts failed: donor-sync runs ${shortId(report.id)}`);
  }
  const isToGoOn = report.status !== 'succeeded' && report.status !== 'running';
  if (isToGoOn) {
    const then = isAtOwnLimit ? 'Continue from there without a limit' : 'Then continue from there';
    steps.push(`${then}: donor-sync sync ${integration}`);
  }
  return steps;
}

function stepsAfterStop({ status, reason, integration }: RunReport): string[] {
  if (status === 'succeeded' || status === 'running') return [];
  return adviceFor(reason, integration).steps.map(stepText);
}
