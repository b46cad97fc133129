import { z } from 'zod';

/** The forms in which services that follow the same document may put the same thing. */

/** An identifier; services that count theirs send numbers. */
export const idSchema = z.union([z.string().min(1), z.int().transform(String)]);

/** A list that is the whole body, or stands in it under a name; an error names the field. */
export function listUnder<Entry extends z.ZodType>(name: string, entry: Entry) {
  return z
    .preprocess(
      (json) => (Array.isArray(json) ? { [name]: json } : json),
      z.object({ [name]: z.array(entry) }),
    )
    .transform((body) => body[name] ?? []);
}

/** A thing that is the whole body, or stands in it under a name. */
export function bareOrUnder<Thing extends z.ZodType>(name: string, thing: Thing) {
  return z.preprocess((json) => {
    const inner = looseObject.safeParse(json).data?.[name];
    return looseObject.safeParse(inner).success ? inner : json;
  }, thing);
}

/** A thing whose id may stand under another name than the schema knows, or be all that is sent. */
export function withIdAs<Thing extends z.ZodType>(name: string, otherName: string, thing: Thing) {
  return z.preprocess((json) => {
    if (idSchema.safeParse(json).success) return { [name]: json };
    const id = looseObject.safeParse(json).data?.[otherName];
    return id === undefined ? json : { [name]: id, ...looseObject.parse(json) };
  }, thing);
}

const looseObject = z.record(z.string(), z.unknown());
