import type { Connector, Finding } from '../../../connectors/contract.ts';
import { LIMIT_REACHED, plain } from '../../../connectors/findings/findings.ts';
import type { OpenIntegration } from '../../application.ts';
import { isDonorSyncError } from '../../core/errors.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import { readFields } from '../../fields/describe.ts';
import type { FieldMapFinding } from '../../mapping/check-field-map.ts';
import { CAUSES } from './causes.ts';
import { checkColumns } from './check-columns.ts';
import { checkSample } from './check-sample.ts';
import { checkOthersInCrm, checkValuesWaiting } from './check-values.ts';
import { checked, met, unmet } from './checks.ts';

const FOLLOW_MESSAGE = 'Follow the advice in the message, then run doctor again.';

/** Checks the CRM: the connector's own checks, the account, the field map, some contacts and the limits. */
export async function checkCrm(open: OpenIntegration): Promise<Finding[]> {
  const own = await checked('CRM', FOLLOW_MESSAGE, () => open.checkCrm());
  // If the CRM's request limit is reached, all further checks would fail too.
  if (own.some(({ ok, cause }) => !ok && cause === LIMIT_REACHED)) return own;
  const isWell = own.every(({ ok }) => ok);
  const opened: Connector[] = [];
  const account = await checked('CRM account', FOLLOW_MESSAGE, () => checkAccount(open, opened));
  const [connector] = opened;
  if (connector === undefined) {
    const isOther = account.some(({ fix }) => fix === OTHER_ACCOUNT);
    // If the CRM has another problem, the connector's own findings explain the reason better.
    return isWell || isOther ? [...own, ...account] : own;
  }
  const { mappings } = open;
  const columns = await checked('columns', FOLLOW_MESSAGE, () => checkColumns(open.integration));
  const fields = await checked('field map', FOLLOW_MESSAGE, () => checkFields(connector, mappings));
  // If a group is unreadable, the connector's own finding explains the reason better.
  const groups = isWell ? await checkGroups(connector, open.integration.networks) : [];
  const values = await checked('values', FOLLOW_MESSAGE, () => checkValuesWaiting(open, connector));
  const others = await checked('CRM user', FOLLOW_MESSAGE, () => checkOthersInCrm(open));
  const sample = await checked('contacts read', FOLLOW_MESSAGE, () =>
    checkSample(connector, mappings),
  );
  const limits = await checked('CRM limits', FOLLOW_MESSAGE, () => checkLimits(connector));
  // The connector has already reported the remaining requests, and one finding is enough.
  const isReported = own.some(({ subject }) => subject === 'daily requests');
  const shown = limits.filter(({ ok }) => !(ok && isReported));
  return [
    ...own,
    ...account,
    ...columns,
    ...fields,
    ...groups,
    ...values,
    ...others,
    ...sample,
    ...shown,
  ];
}

const GROUP_FIX =
  'Correct networks[].group, or give the integration access to the group, then run doctor again.';

/** Checks the groups in the settings, because a connector does not have to check groups itself. */
async function checkGroups(
  connector: Connector,
  networks: OpenIntegration['integration']['networks'],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { group } of networks) {
    findings.push(
      ...(await checked('group', GROUP_FIX, async () => {
        for await (const _ of connector.readGroup(group)) break;
        return [];
      })),
    );
  }
  return findings;
}

const OTHER_ACCOUNT = 'Add a separate client with a new ID for the new account.';

/** Checks the account. Adds the open connector to `opened` after the check. */
async function checkAccount({ deps }: OpenIntegration, opened: Connector[]): Promise<Finding[]> {
  try {
    const connector = await deps.openConnector(null);
    opened.push(connector);
    const message = `The client is connected to "${connector.account.name}".`;
    return [{ ...met('CRM account', message), report: 'The client uses the correct account.' }];
  } catch (error) {
    if (!isDonorSyncError(error) || error.code !== 'crm_account_changed') throw error;
    return [unmet('CRM account', error.message, OTHER_ACCOUNT, error.code)];
  }
}

async function checkFields(
  connector: Connector,
  mappings: readonly FieldMapping[],
): Promise<Finding[]> {
  const { findings, optional, toCreate } = await readFields(connector, mappings);
  const columns = toCreate.map(({ name }) => name).join(', ');
  const more = columns === '' ? '' : ` The first sync adds the columns ${columns}.`;
  if (findings.length === 0) {
    const report = `All ${describeCount(mappings.length - optional.length, 'field')} can be written.`;
    const written = { ...met('field map', `${report}${more}`), report };
    const without = optional.map(optionalFinding);
    return [written, ...without, ...(await checkViewers(connector, mappings))];
  }
  return findings.map(fieldFinding);
}

function optionalFinding({ field, message, fix }: FieldMapFinding): Finding {
  return {
    subject: `field ${field}`,
    ok: true,
    message: `${message} Everything else is written without it.`,
    fix,
  };
}

function fieldFinding({ field, problem, message, fix }: FieldMapFinding): Finding {
  const finding = unmet(`field ${field}`, message, fix, getCause(problem));
  // In a CSV file, a column heading can contain any text, so the finding does not quote it.
  return isApiName(field) ? plain(finding) : finding;
}

/** True if the name is an API name. An API name cannot contain a text that a person typed. */
export function isApiName(name: string): boolean {
  return /^\w{1,80}$/.test(name);
}

function getCause(problem: FieldMapFinding['problem']): string {
  if (problem === 'missing') return CAUSES.missing;
  return problem === 'not_writable' ? CAUSES.notWritable : CAUSES.unfit;
}

async function checkViewers(
  connector: Connector,
  mappings: readonly FieldMapping[],
): Promise<Finding[]> {
  const people = await connector.countViewers?.(mappings.map(({ to }) => to));
  if (people === undefined) return [];
  if (people > 0) return [plain(met('field viewers', 'Users can see the fields in the CRM.'))];
  return [
    plain(
      unmet(
        'field viewers',
        "In the CRM, only donor-sync's user can see the fields.",
        "Make the fields visible to your users' profile (choose another profile if your users are not System Administrators), or assign the permission set “donor-sync viewers” to users in the CRM.",
        CAUSES.unseen,
      ),
    ),
  ];
}

/** The share of remaining requests below which a run may not finish. */
const FEW_REQUESTS = 0.1;

async function checkLimits(connector: Connector): Promise<Finding[]> {
  const limits = await connector.readLimits();
  if (limits === null) return [];
  const { max, remaining } = limits.daily;
  const message = `${formatCount(remaining)} of ${formatCount(max)} requests are left today.`;
  const fix = 'Wait until tomorrow, or find the other tool that uses so many requests.';
  const isEnough = remaining > max * FEW_REQUESTS;
  return [
    plain(
      isEnough ? met('CRM limits', message) : unmet('CRM limits', message, fix, 'crm_limit_near'),
    ),
  ];
}
