/** Finds the settings of the apps with which CRM pages call this installation. */
import type { Settings } from './settings.ts';

/** An app whose calls can be checked. */
export interface DoorApp {
  appId: string;
  clientSecret: string;
  workflowPerDay: number;
}

/** Returns the app for this kind of CRM, or null if the settings do not contain the complete app. */
export function findDoorApp({ hubspot }: Pick<Settings, 'hubspot'>, kind: string): DoorApp | null {
  if (kind !== 'hubspot' || hubspot === undefined) return null;
  const { appId, clientSecret, workflowPerDay } = hubspot;
  if (appId === null || clientSecret === null) return null;
  return { appId, clientSecret, workflowPerDay };
}
