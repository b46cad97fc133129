import type { Finding } from '../../../../connectors/contract.ts';
import type { OpenIntegration } from '../../../application.ts';
import { readFields } from '../../../fields/describe.ts';
import { countOf, formatCount } from '../../terminal/quantities.ts';
import { checked, met, unmet } from './finding.ts';

const FOLLOW_MESSAGE = 'Do what the message says, then run doctor again.';

/** The CRM: what the connector itself checks, the account, the field map, and the limits. */
export async function checkCrm(open: OpenIntegration): Promise<Finding[]> {
  const { connector } = open;
  const own = await checked('CRM', FOLLOW_MESSAGE, () => connector.check());
  const isWell = own.every(({ ok }) => ok);
  let isOpen = false;
  const account = await checked('CRM account', FOLLOW_MESSAGE, async () => {
    const findings = await checkAccount(open);
    isOpen = true;
    return findings;
  });
  // Why the CRM cannot be opened, the connector's own findings have said better.
  if (!isOpen) return isWell ? [...own, ...account] : own;
  if (account.some(({ ok }) => !ok)) return [...own, ...account];
  const fields = await checked('field map', FOLLOW_MESSAGE, () => checkFields(open));
  const limits = await checked('CRM limits', FOLLOW_MESSAGE, () => checkLimits(open));
  // A connector that has told how many requests are left need not be repeated.
  const isTold = own.some(({ subject }) => subject === 'daily requests');
  return [...own, ...account, ...fields, ...limits.filter(({ ok }) => !(ok && isTold))];
}

async function checkAccount({ connector, deps, integration }: OpenIntegration): Promise<Finding[]> {
  const account = await connector.prepare();
  const { crmAccount } = await deps.store.integrations.findState(integration.id);
  const isSame =
    crmAccount === null || crmAccount === deps.store.fingerprint('crm_account', account.id);
  return [
    isSame
      ? met('CRM account', `The integration leads to "${account.name}".`)
      : unmet(
          'CRM account',
          `The integration leads to "${account.name}", and earlier runs wrote into another account.`,
          'Give the new account an integration with an id of its own.',
        ),
  ];
}

async function checkFields({ connector, mappings }: OpenIntegration): Promise<Finding[]> {
  const { findings, toCreate } = await readFields(connector, mappings);
  const columns = toCreate.map(({ name }) => name).join(', ');
  const more = columns === '' ? '' : ` The first sync adds the columns ${columns}.`;
  if (findings.length === 0) {
    return [met('field map', `All ${countOf(mappings.length, 'field')} can be written.${more}`)];
  }
  return findings.map(({ field, message, mend }) => unmet(`field ${field}`, message, mend));
}

/** Below this part of the day's requests a run may not come to its end. */
const FEW_REQUESTS = 0.1;

async function checkLimits({ connector }: OpenIntegration): Promise<Finding[]> {
  const limits = await connector.readLimits();
  if (limits === null) return [];
  const { max, remaining } = limits.daily;
  const message = `${formatCount(remaining)} of ${formatCount(max)} requests are left for today.`;
  const mend = 'Wait until tomorrow, or find out which other tool uses so many.';
  return [
    remaining > max * FEW_REQUESTS
      ? met('CRM limits', message)
      : unmet('CRM limits', message, mend),
  ];
}
