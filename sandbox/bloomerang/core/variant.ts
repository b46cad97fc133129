/**
 * Behaviour that Bloomerang's documents do not specify. A real account behaves in only one way, but the project has no
 * account to find out in which way. The stand-in can therefore behave in every possible way.
 */
import { z } from 'zod';

export const variantSchema = z.strictObject({
  /** Defines whether a PUT request keeps or clears the parts that its body does not contain. */
  put: z.enum(['merges', 'replaces']).default('merges'),
  /** Defines whether a PUT request with `CustomValues` keeps or clears the values that the list does not contain. */
  customValues: z.enum(['merges', 'replaces']).default('merges'),
  /**
   * Defines whether a PUT request must contain an individual's names. According to the specification, names are
   * required, but some clients do not send them.
   */
  names: z.enum(['optional', 'required']).default('optional'),
  /** The maximum `take` of a list, which is 50 in the specification. */
  maxTake: z.number().int().min(1).max(50).default(50),
  /** Defines whether a larger `take` is reduced or refused. */
  largerTake: z.enum(['cut', 'refuse']).default('cut'),
  /** The response to too many requests: a 429 with `Retry-After`, a 429 without this header, or a 503. */
  throttling: z.enum(['retryAfter', 'bare', 'unavailable']).default('retryAfter'),
  /** The offset in minutes between UTC and the times in an `AuditTrail`. All times in an `AuditTrail` end in `Z`. */
  zoneMinutes: z.number().int().min(-720).max(840).default(0),
  /** True if a change of an address, email address, phone or custom value also changes `LastModifiedDate`. */
  partsCountAsChange: z.boolean().default(true),
  groups: z.enum(['shown', 'hidden']).default('shown'),
  /** Defines whether a response contains a blank part as null or omits it. */
  blanks: z.enum(['omitted', 'null']).default('omitted'),
  /** Defines whether the value of a freeform field is a string, or an object as in the specification. */
  freeform: z.enum(['object', 'text']).default('object'),
  /** Defines whether responses contain amounts and dates as clients wrote them or as Bloomerang displays them. */
  values: z.enum(['plain', 'formatted']).default('plain'),
});

export type Variant = z.output<typeof variantSchema>;

/** The current variant, which can change while the stand-in runs. */
export interface VariantBook {
  current(): Variant;
  /** Changes the variant. Throws a ZodError for an unknown name or value. */
  change(to: Readonly<Record<string, unknown>>): Variant;
}

export function createVariantBook(initial: z.input<typeof variantSchema> = {}): VariantBook {
  let variant = variantSchema.parse(initial);
  return {
    current: () => variant,
    change(to) {
      variant = variantSchema.parse({ ...variant, ...to });
      return variant;
    },
  };
}
