/** Creates lists whose members HubSpot updates automatically. Each list has one condition on one contact property. */
import { isConfigurationError, messageOf } from '../../src/core/errors.ts';
import type { ListCreation, ListSpec } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import type { DescribedProperty } from './describe.ts';
import { faultBehind } from './errors.ts';
import { listIn } from './groups.ts';
import { CONTACT_TYPE_ID } from './paths.ts';
import type { HubspotSession } from './session.ts';
import { mayHave, WRITE_LISTS } from './sign-in/scopes.ts';
import { wireValue } from './values.ts';

/**
 * Creates each list whose name does not exist in HubSpot yet. If HubSpot already has the list, donor-sync does not
 * change it, because users may have edited it.
 */
export async function createLists(
  session: HubspotSession,
  specs: readonly ListSpec[],
): Promise<ListCreation[]> {
  const creations: ListCreation[] = [];
  for (const spec of specs) creations.push(await createList(session, spec));
  return creations;
}

async function createList(session: HubspotSession, spec: ListSpec): Promise<ListCreation> {
  const { api, signIn, signal, properties } = session;
  const { name, field } = spec;
  throwIfStopped(signal);
  if (!mayHave(signIn, WRITE_LISTS)) return { name, result: 'failed', problem: NO_SCOPE };
  const property = properties.get(field);
  if (property === undefined) {
    return { name, result: 'failed', problem: `HubSpot has no contact property ${field}.` };
  }
  try {
    if ((await listIn(api.findListByName(name))) !== null) {
      return { name, result: 'existed', problem: null };
    }
    await api.createList({
      name,
      objectTypeId: CONTACT_TYPE_ID,
      processingType: 'DYNAMIC',
      filterBranch: buildFilterBranch(spec, property),
    });
    return { name, result: 'created', problem: null };
  } catch (error) {
    return { name, result: 'failed', problem: describeProblem(error) };
  }
}

const NO_SCOPE = `The token lacks the scope ${WRITE_LISTS}, which \`fields create --with-lists\` needs: add it to the service key, or to the app and to crm.auth.moreScopes, and connect again.`;

/** Returns the problem as text. Throws the error again if it does not concern this list. */
function describeProblem(error: unknown): string {
  if (!isConfigurationError(error)) throw error;
  if (error.code === 'crm_scope_missing') {
    const scopes = faultBehind(error)?.scopes ?? [];
    return scopes.length === 0 || scopes.includes(WRITE_LISTS) ? NO_SCOPE : messageOf(error);
  }
  if (error.code !== 'crm_request_refused') throw error;
  return `${messageOf(error)} A user can create the list in HubSpot instead.`;
}

/**
 * Builds the condition of a list. HubSpot requires an OR of ANDs, and each branch must contain all keys (vendor facts:
 * Lists).
 */
function buildFilterBranch({ field, condition }: ListSpec, property: DescribedProperty): object {
  const filter = {
    filterType: 'PROPERTY',
    property: field,
    operation: { ...buildOperation(condition, property), includeObjectsWithNoValueSet: false },
  };
  const all = branch('AND', { filters: [filter] });
  return branch('OR', { filterBranches: [all] });
}

function branch(type: 'AND' | 'OR', parts: { filters?: object[]; filterBranches?: object[] }) {
  return {
    filterBranchType: type,
    filterBranchOperator: type,
    filters: [],
    filterBranches: [],
    ...parts,
  };
}

function buildOperation(condition: ListSpec['condition'], property: DescribedProperty): object {
  if ('above' in condition) {
    const value = Number(wireValue(condition.above, property));
    return { operationType: 'NUMBER', operator: 'IS_GREATER_THAN', value };
  }
  const values = [wireValue(condition.equals, property)];
  return property.type === 'enumeration'
    ? { operationType: 'ENUMERATION', operator: 'IS_ANY_OF', values }
    : { operationType: 'MULTISTRING', operator: 'IS_EQUAL_TO', values };
}
