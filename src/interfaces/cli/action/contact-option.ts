import { z } from 'zod';

/** The value of `--contact`: the id of one contact in its CRM. */
export const contactOptionSchema = z
  .string()
  .min(1, { error: "Write the contact's id in the CRM after --contact." });
