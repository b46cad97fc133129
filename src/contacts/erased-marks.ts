/**
 * What people decide about erased persons while a run goes on. A run knows who was erased from its beginning: these
 * marks tell it that somebody was confirmed as one of them since, or told from them.
 */
import { preparedRead, type Slots } from '../database/prepared.ts';
import type { Reader } from '../database/reader.ts';

export interface ErasedMarks {
  /** Differs once a contact of the account was blocked, or a block was lifted. */
  blocked: string;
  /** Differs once a person has said that a contact is not one who was erased; null if nobody was. */
  distinguished: string | null;
}

/** Whom a person has told apart is looked for only where it may matter: all holds are gone through for that. */
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

/** True if nothing was decided between two looks; of one that did not look for whom a person told apart, that is left out. */
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
