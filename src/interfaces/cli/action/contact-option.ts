import { z } from 'zod';

/** The value of `--contact`: the ID of one contact in its CRM. */
export const contactOptionSchema = z
  .string()
  .min(1, { error: "Enter the contact's ID in the CRM after --contact." });
