/** The settings of the apps with which the CRMs' own pages call this installation. */
import type { Settings } from './settings.ts';

/** An app whose calls can be checked. */
export interface DoorApp {
  appId: string;
  clientSecret: string;
  workflowPerDay: number;
}

/** Returns the app of this kind of CRM, or null if the settings lack it or a part of it. */
export function findDoorApp({ hubspot }: Pick<Settings, 'hubspot'>, kind: string): DoorApp | null {
  if (kind !== 'hubspot' || hubspot === undefined) return null;
  const { appId, clientSecret, workflowPerDay } = hubspot;
  if (appId === null || clientSecret === null) return null;
  return { appId, clientSecret, workflowPerDay };
}
