import type { Connector, Finding } from '../../../../connectors/contract.ts';
import type { OpenIntegration } from '../../../application.ts';
import { isDonorSyncError } from '../../../core/errors.ts';
import type { FieldMapping } from '../../../core/field-map.ts';
import { readFields } from '../../../fields/describe.ts';
import { countOf, formatCount } from '../../terminal/quantities.ts';
import { checked, met, unmet } from './finding.ts';

const FOLLOW_MESSAGE = 'Do what the message says, then run doctor again.';

/** The CRM: what the connector itself checks, the account, the field map, and the limits. */
export async function checkCrm(open: OpenIntegration): Promise<Finding[]> {
  const own = await checked('CRM', FOLLOW_MESSAGE, () => open.checkCrm());
  const isWell = own.every(({ ok }) => ok);
  const opened: Connector[] = [];
  const account = await checked('CRM account', FOLLOW_MESSAGE, () => checkAccount(open, opened));
  const [connector] = opened;
  if (connector === undefined) {
    const isOther = account.some(({ fix }) => fix === OTHER_ACCOUNT);
    // Why else the CRM cannot be opened, the connector's own findings have said better.
    return isWell || isOther ? [...own, ...account] : own;
  }
  const { mappings } = open;
  const fields = await checked('field map', FOLLOW_MESSAGE, () => checkFields(connector, mappings));
  const limits = await checked('CRM limits', FOLLOW_MESSAGE, () => checkLimits(connector));
  // Where the connector itself reports the requests left, a second finding is not needed.
  const isReported = own.some(({ subject }) => subject === 'daily requests');
  return [...own, ...account, ...fields, ...limits.filter(({ ok }) => !(ok && isReported))];
}

const OTHER_ACCOUNT = 'Give the new account an integration with an id of its own.';

/** Puts the open connector among `opened`, if the CRM opens and is the account of the integration. */
async function checkAccount({ deps }: OpenIntegration, opened: Connector[]): Promise<Finding[]> {
  try {
    const connector = await deps.openConnector(null);
    opened.push(connector);
    return [met('CRM account', `The integration leads to "${connector.account.name}".`)];
  } catch (error) {
    if (!isDonorSyncError(error) || error.code !== 'crm_account_changed') throw error;
    return [unmet('CRM account', error.message, OTHER_ACCOUNT)];
  }
}

async function checkFields(
  connector: Connector,
  mappings: readonly FieldMapping[],
): Promise<Finding[]> {
  const { findings, toCreate } = await readFields(connector, mappings);
  const columns = toCreate.map(({ name }) => name).join(', ');
  const more = columns === '' ? '' : ` The first sync adds the columns ${columns}.`;
  if (findings.length === 0) {
    return [met('field map', `All ${countOf(mappings.length, 'field')} can be written.${more}`)];
  }
  return findings.map(({ field, message, fix }) => unmet(`field ${field}`, message, fix));
}

/** Below this part of the day's requests a run may not come to its end. */
const FEW_REQUESTS = 0.1;

async function checkLimits(connector: Connector): Promise<Finding[]> {
  const limits = await connector.readLimits();
  if (limits === null) return [];
  const { max, remaining } = limits.daily;
  const message = `${formatCount(remaining)} of ${formatCount(max)} requests are left for today.`;
  const fix = 'Wait until tomorrow, or find out which other tool uses so many.';
  return [
    remaining > max * FEW_REQUESTS ? met('CRM limits', message) : unmet('CRM limits', message, fix),
  ];
}
