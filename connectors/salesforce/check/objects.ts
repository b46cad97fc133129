import { isConfigurationError } from '../../../src/core/errors.ts';
import type { Finding, GroupSelector } from '../../contract.ts';
import { checked, met, plain } from '../../findings/findings.ts';
import type { SalesforceApi } from '../api.ts';
import { describeIfSeen } from '../describe.ts';
import { ACCOUNT_NAME, AFFILIATION_NAME } from '../employer.ts';
import { getCrmCode } from '../errors.ts';
import { ID_PREFIXES, longId } from '../ids.ts';
import { queryRecords, whereClause } from '../query.ts';
import type { SalesforceSession } from '../session.ts';
import { type SalesforceGroup, salesforceGroupSchema } from '../settings.ts';
import { hasSuccessPack, PRIMARY_AFFILIATION } from '../success-pack.ts';
import { listed } from './identity.ts';

/** A type of Salesforce object, with the fields that donor-sync reads. */
interface ObjectUse {
  object: string;
  fields: readonly string[];
  /** The reason why donor-sync reads the object, in words for a user. */
  reason: string;
}

const SUBJECT = 'objects';

/** Checks whether the CRM user of donor-sync can see the objects from which it reads employers and groups. */
export async function checkObjects(
  session: SalesforceSession,
  selectors: readonly GroupSelector[],
): Promise<Finding[]> {
  const groups = selectors.flatMap((selector) => {
    const group = salesforceGroupSchema.safeParse(selector).data;
    return group === undefined ? [] : [group];
  });
  const uses = merged([...employerUses(session), ...groups.flatMap(groupUses)]);
  const findings: Finding[] = [];
  for (const use of uses) {
    findings.push(...(await checked(SUBJECT, OBJECT_FIX, () => checkObject(session.api, use))));
  }
  for (const group of groups) findings.push(...(await checkGroup(session, group)));
  if (findings.length > 0 || uses.length === 0) return findings;
  return [plain(met(SUBJECT, `${listed(uses.map(({ object }) => object))} can be read.`))];
}

const OBJECT_FIX = 'Follow the advice in the message, then run doctor again.';

/** Returns the fields of Account that donor-sync reads. Every employer is an account. */
function employerUses({ shape }: SalesforceSession): ObjectUse[] {
  const isRead = shape.identity.sources.some(
    ({ name, readable }) => readable && (name === ACCOUNT_NAME || name === AFFILIATION_NAME),
  );
  return isRead ? [{ object: 'Account', fields: ['Name'], reason: 'employers' }] : [];
}

function groupUses(group: SalesforceGroup): ObjectUse[] {
  if ('campaign' in group) {
    const reason = 'the group of a campaign';
    return [
      { object: 'Campaign', fields: ['Name'], reason },
      { object: 'CampaignMember', fields: ['ContactId', 'LeadId', 'Status'], reason },
    ];
  }
  if ('affiliation' in group) {
    const reason = 'the group of an organization';
    const role = group.affiliation.role === undefined ? [] : ['npe5__Role__c'];
    const fields = ['npe5__Contact__c', 'npe5__Organization__c', 'npe5__Status__c', ...role];
    return [
      { object: 'Account', fields: ['Name'], reason },
      { object: 'npe5__Affiliation__c', fields, reason },
    ];
  }
  return [];
}

function merged(uses: readonly ObjectUse[]): ObjectUse[] {
  const byObject = new Map<string, ObjectUse>();
  for (const use of uses) {
    const earlier = byObject.get(use.object);
    const reason =
      earlier === undefined || earlier.reason === use.reason
        ? use.reason
        : `${earlier.reason} and ${use.reason}`;
    const fields = [...new Set([...(earlier?.fields ?? []), ...use.fields])];
    byObject.set(use.object, { object: use.object, fields, reason });
  }
  return [...byObject.values()];
}

async function checkObject(
  api: SalesforceApi,
  { object, fields, reason }: ObjectUse,
): Promise<Finding[]> {
  const described = await describeIfSeen(api, object);
  if (described === null) {
    return [
      plain({
        subject: SUBJECT,
        ok: false,
        message: `The object ${object} does not exist or is hidden from the integration's user, so ${reason} cannot be read.`,
        fix: `Grant the user read access to the object ${object} in a permission set.`,
        cause: 'crm_object_hidden',
      }),
    ];
  }
  const hidden = fields.filter((name) => !described.fields.has(name));
  if (hidden.length === 0) return [];
  return [
    plain({
      subject: SUBJECT,
      ok: false,
      message: `The integration's user cannot read ${listed(hidden)} of ${object}, so ${reason} cannot be read.`,
      fix: `Grant the user read access to ${listed(hidden)} of ${object} in a permission set.`,
      cause: 'crm_field_hidden',
    }),
  ];
}

/** Runs the report or the condition, because the org's descriptions do not contain it. */
async function checkGroup(session: SalesforceSession, group: SalesforceGroup): Promise<Finding[]> {
  if ('report' in group)
    return checked(SUBJECT, OBJECT_FIX, () => checkReport(session, group.report));
  if (!('where' in group)) return [];
  const soql = `SELECT Id FROM Contact${whereClause([`(${group.where})`])} LIMIT 1`;
  return checked(
    'group',
    'Correct networks[].group.where: it must be a SOQL condition on Contact.',
    async () => {
      await queryRecords(session.api, soql);
      return [];
    },
  );
}

async function checkReport({ api }: SalesforceSession, text: string): Promise<Finding[]> {
  const id = longId(text, ID_PREFIXES.report) ?? text;
  try {
    await api.get(`/analytics/reports/${encodeURIComponent(id)}/describe`);
    return [];
  } catch (error) {
    const isRefused = isConfigurationError(error) && error.code === 'crm_request_refused';
    if (!isRefused) throw error;
    return [
      {
        subject: SUBJECT,
        ok: false,
        message: `The report ${id} does not exist or is hidden from the integration's user (${getCrmCode(error) ?? ''}), so the report's group cannot be read.`,
        fix: "Grant the user the permission “Run Reports”, and share the report's folder with the user.",
        cause: 'crm_object_hidden',
        report: "A report does not exist or is hidden from the integration's user.",
      },
    ];
  }
}

/**
 * The name of the household record type in the Nonprofit Success Pack. Every user can see that the household record
 * type exists.
 */
const HOUSEHOLDS = "SobjectType = 'Account' AND DeveloperName = 'HH_Account'";

/**
 * The org may have the Nonprofit Success Pack, although the user cannot see its fields. If the user cannot see these
 * fields, donor-sync would send household names as employers. Without these fields, donor-sync would also not recognise
 * deceased contacts.
 */
export async function checkSuccessPack({
  api,
  description,
  settings,
}: SalesforceSession): Promise<Finding[]> {
  if (hasSuccessPack(description) || settings.employer === 'account') return [];
  if (!(await hasHouseholds(api))) return [];
  return [
    plain({
      subject: 'employer',
      ok: false,
      message: `The org has the Nonprofit Success Pack, but all of it is hidden from the integration's user. Employers would be read from ${ACCOUNT_NAME}, which is a household there, and deceased contacts and contacts that must not be contacted would not be recognised.`,
      fix: `In a permission set, grant the user read access to ${PRIMARY_AFFILIATION}, npsp__Deceased__c and npsp__Do_Not_Contact__c of Contact, to npe01__SYSTEM_AccountType__c of Account, and to the object Affiliations.`,
      cause: 'crm_success_pack_hidden',
    }),
  ];
}

async function hasHouseholds(api: SalesforceApi): Promise<boolean> {
  try {
    const found = await queryRecords(api, `SELECT Id FROM RecordType WHERE ${HOUSEHOLDS} LIMIT 1`);
    return found.length > 0;
  } catch (error) {
    // If Salesforce refuses the query, the check continues as if the org had no such record type.
    if (isConfigurationError(error) && error.code === 'crm_request_refused') return false;
    throw error;
  }
}
