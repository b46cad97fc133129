import type { RunReport } from '../core/run.ts';
import { shortId } from './short-id.ts';

/**
 * What a person does next after a run, the most pressing first: whole sentences with commands.
 * `contactsListed` is true where the contacts that failed stand on the same page.
 */
export function nextSteps(
  report: RunReport,
  { contactsListed = false }: { contactsListed?: boolean } = {},
): string[] {
  const { contacts, integration } = report;
  const steps = [...stepsAfterStop(report)];
  if (contacts.held > 0) steps.push('Decide what waits for you: donor-sync holds');
  if (contacts.failed > 0 && !contactsListed) {
    steps.push(`See why contacts failed: donor-sync runs ${shortId(report.id)}`);
  }
  const isToGoOn = report.status !== 'succeeded' && report.status !== 'running';
  if (isToGoOn) steps.push(`Then go on from there: donor-sync sync ${integration}`);
  return steps;
}

function stepsAfterStop({ reason, integration }: RunReport): string[] {
  switch (reason?.code) {
    case 'credits_exhausted':
      return ['Buy credits; see the balances: donor-sync credits'];
    case 'budget_reached':
      return [`Raise the budget in the settings, or wait: donor-sync plan ${integration}`];
    case 'interrupted':
    case undefined:
      return [];
    default:
      return [`Find out what is wrong: donor-sync doctor ${integration}`];
  }
}
