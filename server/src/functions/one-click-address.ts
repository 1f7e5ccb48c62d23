import type { Services } from '#platform/services';

/** Address that mail programs post to by themselves where their reader presses « Se désabonner » (RFC 8058). */
export function oneClickAddress({ publicUrl }: Pick<Services, 'publicUrl'>, token: string): string {
  return `${publicUrl()}/one-click?token=${token}`;
}
