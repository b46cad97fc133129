import { z } from 'zod';
import { donorReferenceSchema } from '../donors/donor-reference.ts';
import { networkReferenceSchema } from '../networks/network.ts';

/** A relationship between two donors (service document, section 2.2). */
export interface Link {
  /** The likelihood that the two know each other, from 0 to 1. */
  strength: number;
  /** A short label for people. */
  snippet: string | null;
  /** The organization that the two share. */
  entityName: string | null;
  /** `nonprofit`, `company` or `school`. */
  entityType: string | null;
  /** How the source donor relates to it, for example `sits_on_board_of`; any word is possible. */
  sourceRelationship: string | null;
  /** How the other donor does. */
  targetRelationship: string | null;
}

const textSchema = z.string().nullish();

/** The fields that all connections have. */
export const linkShape = {
  strength: z.number().min(0).max(1),
  snippet: textSchema,
  connecting_entity_name: textSchema,
  connecting_entity_type: textSchema,
  source_relationship: textSchema,
  target_relationship: textSchema,
};

const linkSchema = z.object(linkShape);

/** The link in our words. */
export function toLink(wire: z.output<typeof linkSchema>): Link {
  return {
    strength: wire.strength,
    snippet: wire.snippet ?? null,
    entityName: wire.connecting_entity_name ?? null,
    entityType: wire.connecting_entity_type ?? null,
    sourceRelationship: wire.source_relationship ?? null,
    targetRelationship: wire.target_relationship ?? null,
  };
}

/** A connection of some donor to a member of the team's networks; its strength is 0.45 or more. */
export type Connection = z.output<typeof connectionSchema>;

export const connectionSchema = z
  .object({
    ...linkShape,
    source_donor: donorReferenceSchema,
    networks: z.array(networkReferenceSchema).nullish(),
  })
  .transform((wire) => ({
    ...toLink(wire),
    /** The member. */
    sourceDonor: wire.source_donor,
    /** Which of the team's networks it comes from; empty where the service does not say. */
    networks: wire.networks ?? [],
  }));
