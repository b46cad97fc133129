import { z } from 'zod';

export const contactOptionSchema = z
  .string()
  .min(1, { error: "Enter the contact's ID in the CRM after --contact." });
