import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

/** A post office that takes every mail and every text message, and keeps none. */
export type CatchAll = { readonly smtpUrl: string; readonly smsUrl: string; readonly close: () => void };

export async function startCatchAll(): Promise<CatchAll> {
  const smtp = createTcpServer((socket) => {
    let isInMail = false;
    let heard = '';
    socket.on('error', () => undefined);
    socket.write('220 bench ESMTP\r\n');
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      for (let end = heard.indexOf('\r\n'); end !== -1; end = heard.indexOf('\r\n')) {
        const line = heard.slice(0, end);
        heard = heard.slice(end + 2);
        if (isInMail) {
          if (line !== '.') continue;
          isInMail = false;
          socket.write('250 taken\r\n');
        } else if (/^DATA/iu.test(line)) {
          isInMail = true;
          socket.write('354 go on\r\n');
        } else if (/^QUIT/iu.test(line)) socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
  });
  const sms = createHttpServer((request, response) => {
    request.resume().once('end', () => response.end());
  });
  const [smtpPort, smsPort] = [await portOf(smtp), await portOf(sms)];
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    smsUrl: `http://bench@127.0.0.1:${smsPort}/sms`,
    close() {
      smtp.close();
      sms.close();
      sms.closeAllConnections();
    },
  };
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
