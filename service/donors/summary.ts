/** A donor's summary, which identifies the donor and contains no paid data. */

import { z } from '@hono/zod-openapi';
import type { Donor } from '../donor.ts';
import { locationOf, serviceUrlOf } from '../profile.ts';

const shape = {
  id: z.string().regex(/^[0-9a-f]{32}$/),
  name: z.string().openapi({ description: 'First, middle and last name' }),
  service_url: z.url(),
  is_deceased: z.boolean(),
  location: z
    .object({ city: z.string(), state: z.string() })
    .nullable()
    .openapi({ description: 'Part of the current address' }),
};

export const summarySchema = z.object(shape).openapi('DonorSummary');

export type Summary = z.infer<typeof summarySchema>;

const count = z.int().min(0);

/** The schema of metadata. Metadata is a summary that also lists the parts of the profile without their content. */
export const metadataSchema = z
  .object({
    ...shape,
    profile: z
      .object({
        has_age: z.boolean(),
        has_net_worth: z.boolean(),
        has_capacity: z.boolean(),
        work: count,
        education: count,
        boards: count,
        donations: count,
      })
      .openapi({
        description: 'The contents of the profile: whether it has a part, or its number of entries',
      }),
  })
  .openapi('DonorMetadata');

export type Metadata = z.infer<typeof metadataSchema>;

/** Returns a donor's summary. */
export function toSummary(donor: Donor): Summary {
  return {
    id: donor.id,
    name: fullNameOf(donor.name),
    service_url: serviceUrlOf(donor),
    is_deceased: donor.isDeceased ?? false,
    location: locationOf(donor),
  };
}

/** Returns a donor's metadata. */
export function toMetadata(donor: Donor): Metadata {
  const { political, nonprofit } = donor.capacity;
  return {
    ...toSummary(donor),
    profile: {
      has_age: donor.birthYear !== null,
      has_net_worth: donor.netWorth !== null,
      has_capacity: political !== null || nonprofit !== null,
      work: donor.work.length,
      education: donor.education.length,
      boards: donor.boards.length,
      donations: donor.gifts.length,
    },
  };
}

/** Returns a full name in the usual order. */
export function fullNameOf({ first, middle, last }: Donor['name']): string {
  return [first, middle, last].filter((part) => part !== null && part !== '').join(' ');
}
