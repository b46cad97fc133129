/** A connection in the form in which responses contain it (service document, section 2.2). */

import { z } from '@hono/zod-openapi';
import type { FoundConnection } from '../connections/engine.ts';
import type { Donor } from '../donor.ts';
import { fullNameOf, summarySchema } from '../donors/summary.ts';
import { serviceUrlOf } from '../profile.ts';
import { networkLabelSchema } from './networks.ts';

/** The schema of a donor's identifier, name and page, which other records use to refer to the donor. */
export const donorLabelSchema = summarySchema
  .pick({ id: true, name: true, service_url: true })
  .openapi('DonorLabel');

const shape = {
  strength: z
    .number()
    .min(0)
    .max(1)
    .openapi({ description: 'The likelihood that the two know each other' }),
  snippet: z.string(),
  connecting_entity_name: z.string(),
  connecting_entity_type: z.enum(['nonprofit', 'company', 'school']),
  source_relationship: z.string().openapi({ example: 'sits_on_board_of' }),
  target_relationship: z.string().openapi({ example: 'works_for' }),
  source_donor: donorLabelSchema,
};

/** The schema of a connection to a member of the team's networks. */
export const connectionSchema = z
  .object({
    ...shape,
    networks: z
      .array(networkLabelSchema)
      .openapi({ description: 'The searched networks that the source donor is a member of' }),
  })
  .openapi('Connection');

/** The schema of a connection that a team looked up, which contains no networks. */
export const lookupConnectionSchema = z
  .object({ ...shape, donor: donorLabelSchema.openapi({ description: 'The other donor' }) })
  .openapi('LookupConnection');

/** A donor's identifier, name and page in the form in which the response contains them. */
export type DonorLabel = z.infer<typeof donorLabelSchema>;

/** A connection to a member in the form in which the response contains it. */
export type Connection = z.infer<typeof connectionSchema>;

/** Creates a reference to a donor. */
export function toDonorLabel(donor: Pick<Donor, 'id' | 'name' | 'page'>): DonorLabel {
  return { id: donor.id, name: fullNameOf(donor.name), service_url: serviceUrlOf(donor) };
}

/** Returns the content of a connection, except for the other donor and the networks. */
export function describeConnection(found: FoundConnection, source: DonorLabel) {
  return {
    strength: found.strength,
    snippet: found.snippet,
    connecting_entity_name: found.entityName,
    connecting_entity_type: found.entityType,
    source_relationship: found.sourceRelationship,
    target_relationship: found.targetRelationship,
    source_donor: source,
  };
}
