import type { Binding } from './changes/bindings.ts';
import type { BroadcastContent } from './frames.ts';
import type { Viewer } from './viewer.ts';

/** A topic that one socket has joined, as the rest of the door sees it. */
export type Channel = {
  /** As on the wire: `realtime:<name>`. */
  readonly topic: string;
  readonly name: string;
  readonly joinRef: string | null;
  readonly isPrivate: boolean;
  /** The room its broadcasts and its presence belong to. */
  readonly room: string;
  readonly broadcast: { readonly ack: boolean; readonly self: boolean };
  readonly presence: { readonly key: string; readonly enabled: boolean };
  /** The last reading of changes before the join: the channel gets later ones only. */
  readonly since: number;
  readonly viewer: () => Viewer;
  readonly bindings: () => readonly Binding[];
  /** `written` caches the frames of this change: most channels of one viewer get equal ones. */
  readonly sendChange: (ids: readonly number[], data: string, written: Map<string, Buffer>) => void;
  /** `written` caches the frames of this message. */
  readonly sendBroadcast: (event: string, content: BroadcastContent, written: Map<string, Buffer | null>) => void;
  /** `payload` is JSON text. */
  readonly sendEvent: (event: string, payload: string) => void;
  /** Sends the reason, then makes the client join again, with the token that it then has. */
  readonly fail: (extension: 'system' | 'postgres_changes', message: string) => void;
};

/** A public and a private topic of one name are two rooms. */
export function roomOf(name: string, isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}:${name}`;
}
