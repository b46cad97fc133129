/** Reads groups of contacts. CiviCRM's filter `groups` also finds the members of smart groups and of nested groups. */
import { z } from 'zod';
import type { GroupSelector, GroupSummary } from '../contract.ts';
import { eachOnce, unknownGroup } from '../reading/group-members.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { pagesOf } from './read.ts';
import type { CivicrmSession } from './session.ts';
import { civicrmGroupSchema } from './settings.ts';

const groupSchema = z.object({
  id: z.coerce.number(),
  name: z.string().nullish(),
  title: z.string().nullish(),
});

type Group = z.output<typeof groupSchema>;

async function readGroups({ api, signal }: CivicrmSession): Promise<Group[]> {
  throwIfStopped(signal);
  const { values } = await api.get('Group', {
    select: ['name', 'title'],
    where: [['is_active', '=', true]],
    orderBy: { id: 'ASC' },
  });
  return values.flatMap((row) => groupSchema.safeParse(row).data ?? []);
}

/** Returns the groups. donor-sync does not count their members, because a site can have hundreds of groups. */
export async function listGroups(session: CivicrmSession): Promise<GroupSummary[]> {
  const groups = await readGroups(session);
  return groups.map(({ id, name, title }) => ({
    selector: { group: name ?? String(id) },
    name: title ?? name ?? String(id),
    memberCount: null,
  }));
}

/** Yields the individuals in a group. Each individual is yielded once. */
export async function* readGroup(
  session: CivicrmSession,
  selector: GroupSelector,
): AsyncGenerator<readonly string[]> {
  const { group: wanted } = civicrmGroupSchema.parse(selector);
  const group = findGroup(await readGroups(session), wanted);
  if (group === undefined) {
    throw unknownGroup(
      `CiviCRM has no active group "${wanted}", or its user may not see it: correct networks[].group, or create the group.`,
    );
  }
  yield* eachOnce(memberIds(session, group.id), session.signal);
}

/** Finds a group by its name or title. Names are unique, and titles are usually unique. */
function findGroup(groups: readonly Group[], wanted: string): Group | undefined {
  return (
    groups.find(({ name }) => name === wanted) ??
    groups.find(({ title }) => title === wanted) ??
    groups.find(({ id }) => String(id) === wanted)
  );
}

async function* memberIds(session: CivicrmSession, id: number): AsyncGenerator<string[]> {
  for await (const rows of pagesOf(session, 'members', ['id'], [['groups', 'IN', [id]]])) {
    yield rows.map((row) => String(row['id']));
  }
}
