import type { RunReport } from '../core/run.ts';
import { shortId } from './short-id.ts';

/**
 * What a person does next after a run, the most pressing first: whole sentences with commands.
 * `contactsListed` is true where the contacts that failed stand on the same page, `isLimited` where the
 * run had a limit of its own.
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
  const steps = isAtOwnLimit ? [] : [...stepsAfterStop(report)];
  if (contacts.held > 0) steps.push('Decide what waits for you: donor-sync holds');
  if (contacts.failed > 0 && !contactsListed) {
    steps.push(`See why contacts failed: donor-sync runs ${shortId(report.id)}`);
  }
  const isToGoOn = report.status !== 'succeeded' && report.status !== 'running';
  if (isToGoOn) {
    const then = isAtOwnLimit ? 'Go on from there without a limit' : 'Then go on from there';
    steps.push(`${then}: donor-sync sync ${integration}`);
  }
  return steps;
}

function stepsAfterStop({ reason, integration }: RunReport): string[] {
  switch (reason?.code) {
    case 'credits_exhausted':
      return ['Buy credits; see the balances: donor-sync credits'];
    case 'budget_reached':
      return [`Raise the budget in the settings, or wait: donor-sync plan ${integration}`];
    case 'match_rate_low':
      return [
        `See persons as they would be sent: donor-sync plan ${integration}`,
        `Correct the columns in the settings, or accept: donor-sync sync ${integration} --accept-match-rate`,
      ];
    case 'clock_wrong':
      return ['Set the clock of this machine, best by a time server'];
    case 'store_replaced':
      return ['Put the database file back, or name the right one in the settings'];
    case 'store_does_not_know_crm':
      return [
        'Name the database that knows these contacts in the settings, or restore its backup',
        `If it is lost, take them over without a credit: donor-sync sync ${integration} --adopt`,
      ];
    case 'lease_lost':
    case 'interrupted':
    case undefined:
      return [];
    default:
      return [`Find out what is wrong: donor-sync doctor ${integration}`];
  }
}
