import { z } from 'zod';
import type { Profile } from '../core/profile.ts';

const capacitySchema = z.object({ capacity: z.number().nullish() }).nullish();

/**
 * A donor profile as the service sends it (service document, section 2.6). Only the ID of a donor is required. A field
 * that is null, absent or empty has no value. Fields that donor-sync does not use are ignored. Fields must have the
 * documented type. For example, a number in the form of text is invalid.
 */
export const profileSchema = z.object({
  id: z.string().min(1),
  name: z
    .object({
      first: z.string().nullish(),
      middle: z.string().nullish(),
      last: z.string().nullish(),
    })
    .nullish(),
  service_url: z.string().nullish(),
  age: z.number().nullish(),
  is_deceased: z.boolean().nullish(),
  net_worth_range: z.array(z.number().nullable()).nullish(),
  political_stats: capacitySchema,
  nonprofit_stats: capacitySchema,
  education: z.array(z.object({ institution_name: z.string().nullish() })).nullish(),
  work: z.array(z.object({ company_name: z.string().nullish() })).nullish(),
  bio: z.array(z.string().nullable()).nullish(),
});

/** Converts a profile into donor-sync's own form. */
export function toProfile(wire: z.output<typeof profileSchema>): Profile {
  return {
    donorId: wire.id,
    name: {
      first: toText(wire.name?.first),
      middle: toText(wire.name?.middle),
      last: toText(wire.name?.last),
    },
    profileUrl: toText(wire.service_url),
    age: wire.age ?? null,
    isDeceased: wire.is_deceased ?? false,
    netWorth: toNetWorth(wire.net_worth_range),
    capacity: {
      political: wire.political_stats?.capacity ?? null,
      nonprofit: wire.nonprofit_stats?.capacity ?? null,
    },
    education: toTexts(wire.education?.map((school) => school.institution_name)),
    work: toTexts(wire.work?.map((employer) => employer.company_name)),
    bio: toTexts(wire.bio),
  };
}

/** Returns null for a range with only one bound, because no CRM field can contain it. */
function toNetWorth(range: readonly (number | null)[] | null | undefined): Profile['netWorth'] {
  const [low, high] = range ?? [];
  return low == null || high == null ? null : { low, high };
}

function toText(text: string | null | undefined): string | null {
  return text?.trim() || null;
}

function toTexts(texts: readonly (string | null | undefined)[] | null | undefined): string[] {
  return (texts ?? []).flatMap((text) => toText(text) ?? []);
}
