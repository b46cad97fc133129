/** The names that differ, as CRM and service have them now. */
export interface HoldNames {
  contact: string | null;
  profile: string | null;
  /** Why a name is missing here. */
  problem: string | null;
}
