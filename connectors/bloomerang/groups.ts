/**
 * Reads groups of constituents. Bloomerang's API cannot list the members of a group. A group appears only in the
 * records of its members, so donor-sync must read all constituents.
 */
import { systemClock } from '../../src/core/clock.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { GroupSelector, GroupSummary } from '../contract.ts';
import { unknownGroup } from '../reading/group-members.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readRows } from './read.ts';
import type { BloomerangSession, ScannedGroup } from './session.ts';
import { bloomerangGroupSchema } from './settings.ts';

/**
 * The time (ms) for which the result of a complete reading is used again. A run reads several groups one after another.
 */
const SCAN_LASTS_MS = 5 * 60_000;

const MEMBERS_PER_BATCH = 500;

export async function listGroups(session: BloomerangSession): Promise<GroupSummary[]> {
  const groups = await scanGroups(session);
  return groups.map(({ name, members }) => ({
    selector: { group: name },
    name,
    memberCount: members.length,
  }));
}

/**
 * Yields the members of a group. Throws if the group has no members, because Bloomerang shows no difference between an
 * empty group and a missing one.
 */
export async function* readGroup(
  session: BloomerangSession,
  selector: GroupSelector,
): AsyncGenerator<readonly string[]> {
  throwIfStopped(session.deps.signal);
  const { group: wanted } = bloomerangGroupSchema.parse(selector);
  const group = await takeGroup(session, wanted);
  if (group === undefined) {
    throw unknownGroup(
      `No individual in Bloomerang is in a group with the name or ID "${wanted}". Correct networks[].group.group, or add its members to the group.`,
    );
  }
  for (let start = 0; start < group.members.length; start += MEMBERS_PER_BATCH) {
    yield group.members.slice(start, start + MEMBERS_PER_BATCH);
  }
}

/**
 * Returns a group and removes it from the cached result. Because the group is removed from the cache, a second request
 * reads its current members.
 */
async function takeGroup(
  session: BloomerangSession,
  wanted: string,
): Promise<ScannedGroup | undefined> {
  const { groups } = session;
  const isFresh = groups !== null && now(session) - groups.atMs < SCAN_LASTS_MS;
  const find = (scan: readonly ScannedGroup[]) =>
    scan.find(({ id, name }) => name === wanted || id === wanted);
  const known = isFresh ? find(groups.scan) : undefined;
  const isTaken = known === undefined || groups?.taken.has(known.id) === true;
  const group = isTaken ? find(await scanGroups(session)) : known;
  if (group !== undefined) session.groups?.taken.add(group.id);
  return group;
}

function now({ deps }: BloomerangSession): number {
  return deps.clock.monotonicMs?.() ?? systemClock.monotonicMs();
}

async function scanGroups(session: BloomerangSession): Promise<readonly ScannedGroup[]> {
  const atMs = now(session);
  const groups = new Map<number, ScannedGroup>();
  let people = 0;
  let isShown = false;
  for await (const rows of readRows(session)) {
    for (const { Id, GroupsDetails } of rows) {
      people += 1;
      isShown ||= GroupsDetails != null;
      for (const { Id: groupId, Name } of GroupsDetails ?? []) {
        const group = groups.get(groupId) ?? { id: `${groupId}`, name: Name ?? '', members: [] };
        group.members.push(String(Id));
        groups.set(groupId, group);
      }
    }
  }
  // A group that donor-sync's user cannot see must not look empty.
  if (people > 0 && !isShown) throw groupsHidden();
  const scan = [...groups.values()];
  session.groups = { scan, atMs, taken: new Set() };
  return scan;
}

function groupsHidden(): ConfigurationError {
  return new ConfigurationError(
    "Bloomerang's API does not show the groups of constituents in this database. No member was added or removed. Ask Bloomerang whether your plan includes groups in the API, or remove the networks from the settings.",
    { code: 'crm_groups_hidden' },
  );
}
