/**
 * Reads two marks that show changes to the list of erased people. A run loads the erased people when it starts. The
 * marks change when a user decides whether a contact is an erased person.
 */
import { preparedRead, type Slots } from '../database/prepared.ts';
import type { Reader } from '../database/reader.ts';

export interface ErasedMarks {
  /** A value that changes when a contact of the account is blocked, or when a block is lifted. */
  blocked: string;
  /**
   * A value that changes when a user decides that a contact is not an erased person. Null if this value was not read.
   */
  distinguished: string | null;
}

/** Reads the current marks of an account. The query scans all holds, so it runs only if its result can matter. */
export async function findErasedMarks(
  reader: Reader,
  integrationId: string,
  isAnyoneAlike: boolean,
): Promise<ErasedMarks> {
  const [blocks] = (await selectBlocks(reader, { integrationId })).rows;
  const blocked = `${blocks?.count} ${blocks?.suspected} ${blocks?.latest}`;
  if (!isAnyoneAlike) return { blocked, distinguished: null };
  const [told] = (await toldApart(reader, { integrationId })).rows;
  return { blocked, distinguished: `${told?.count} ${told?.latest}` };
}

/**
 * True if no user has decided about an erased person between the two readings. `distinguished` is compared only if both
 * readings contain it.
 */
export function areSameMarks(one: ErasedMarks, other: ErasedMarks): boolean {
  const isComparable = one.distinguished !== null && other.distinguished !== null;
  return (
    one.blocked === other.blocked && (!isComparable || one.distinguished === other.distinguished)
  );
}

const selectBlocks = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('forgotten')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('forgotten_at').as('latest')])
    .select((eb) =>
      eb.fn.count(eb.case().when('state', '=', 'merged').then(1).end()).as('suspected'),
    )
    .where((eb) =>
      eb(
        'integration_id',
        'in',
        eb
          .selectFrom('integrations')
          .select('integrations.id')
          .where((of) =>
            of.or([
              of('integrations.id', '=', integrationId),
              of(
                'integrations.crm_account',
                '=',
                of
                  .selectFrom('integrations as self')
                  .select('self.crm_account')
                  .where('self.id', '=', integrationId),
              ),
            ]),
          ),
      ),
    )
    .compile(),
);

const toldApart = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('questions')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('decided_at').as('latest')])
    .where('integration_id', '=', integrationId)
    .where('kind', '=', 'forgotten_person')
    .where('decision', '=', 'approved')
    .compile(),
);
