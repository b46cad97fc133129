/**
 * The points on which Bloomerang's documents say nothing. A real account behaves in one way. Nobody can look it up
 * without an account, so the stand-in can behave in each of them.
 */
import { z } from 'zod';

export const variantSchema = z.strictObject({
  /** Whether a PUT keeps the parts of a constituent that its body does not name, or blanks them. */
  put: z.enum(['merges', 'replaces']).default('merges'),
  /** The same for the entries of `CustomValues`, if the body has this list. */
  customValues: z.enum(['merges', 'replaces']).default('merges'),
  /**
   * Whether a PUT needs the names of an individual. The specification says that they are required, and clients send
   * bodies without them.
   */
  names: z.enum(['optional', 'required']).default('optional'),
  /** The largest `take` of a list. The specification says 50. */
  maxTake: z.number().int().min(1).max(50).default(50),
  /** Whether a larger `take` is cut or refused. */
  largerTake: z.enum(['cut', 'refuse']).default('cut'),
  /** The response to too many requests: 429 with `Retry-After`, 429 without, or 503. */
  throttling: z.enum(['retryAfter', 'bare', 'unavailable']).default('retryAfter'),
  /** Minutes between UTC and the times in an `AuditTrail`, all of which end in `Z`. */
  zoneMinutes: z.number().int().min(-720).max(840).default(0),
  /** True if a changed address, e-mail address, phone or custom value changes `LastModifiedDate`. */
  partsCountAsChange: z.boolean().default(true),
  /** Whether a constituent contains its groups. */
  groups: z.enum(['shown', 'hidden']).default('shown'),
  /** Whether a blank part is left out of a response, as in the responses that clients quote, or null. */
  blanks: z.enum(['omitted', 'null']).default('omitted'),
  /** Whether the value of a freeform field is an object, as in the specification, or a text. */
  freeform: z.enum(['object', 'text']).default('object'),
  /** Whether amounts and dates are returned in the form in which they were written, or as on the screen. */
  values: z.enum(['plain', 'formatted']).default('plain'),
});

export type Variant = z.output<typeof variantSchema>;

/** The variant in force, which can change while the stand-in runs. */
export interface VariantBook {
  current(): Variant;
  /** Throws a ZodError for an unknown name or value. */
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
