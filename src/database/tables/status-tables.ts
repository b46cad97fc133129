/** Where contacts stand, as it was written into the CRM. */
export interface StatusTables {
  contact_statuses: ContactStatusesTable;
}

export interface ContactStatusesTable {
  integration_id: string;
  crm_id: string;
  /** The fields, the state and the reason that the status was made of: as long as they are the same, it is. */
  seen: string;
  /** The status that the CRM was given (`SyncStatus`); null for none. */
  status: string | null;
}

/** `seen` of a contact that was away, or whose field was: its record may have lost the status. */
export const MAY_BE_LOST = '';
