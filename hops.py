import numpy as np, benchmarks.cluster as C, sys, os, time, asyncio, cloudpickle, pickle
from learnable.rows import messages as M
def main():
    with C.local_client() as client:
        ws = list(client.scheduler_info()['workers'])
        def timed(name, coro, k=150):
            for _ in range(10): client.sync(coro)
            t = []
            for _ in range(k):
                a = time.perf_counter(); client.sync(coro); t.append(time.perf_counter() - a)
            print(f'{name:50s} median {1e3*np.median(t):.2f} ms, lowest tenth {1e3*np.quantile(t, .1):.2f}', flush=True)
        async def both(f): return await asyncio.gather(*(f(w) for w in ws))
        async def ident(): return await both(lambda w: client.rpc(w).identity())
        async def echo(): return await both(lambda w: client.rpc(w).echo(data=b'x'))
        timed('identity', ident)
        timed('echo', echo)
        import operator
        plain = cloudpickle.dumps(operator.neg); args = cloudpickle.dumps((1,))
        async def run(): return await both(lambda w: client.rpc(w).run(function=plain, args=args))
        timed('run, plain', run)
        f2 = cloudpickle.dumps(cor)
        async def run2(): return await both(lambda w: client.rpc(w).run(function=f2, args=args))
        timed('run, coroutine (by value)', run2)
        f3 = cloudpickle.dumps(hop)
        async def run3(): return await both(lambda w: client.rpc(w).run(function=f3, args=args))
        timed('run, coroutine with executor', run3)
        for kb in (10, 80, 330):
            f4 = cloudpickle.dumps(big); a4 = cloudpickle.dumps((kb,))
            async def run4(): return await both(lambda w: client.rpc(w).run(function=f4, args=a4))
            timed(f'executor, {kb} KB back', run4)
        async def asked(): return await M._asked(client, dict.fromkeys(ws), run4(), 30.0)
        timed('the same, watched', asked)
async def cor(x, dask_worker=None): return x
async def hop(x, dask_worker=None):
    import asyncio, operator
    return await asyncio.get_running_loop().run_in_executor(dask_worker.executors['default'], operator.neg, x)
async def big(kb, dask_worker=None):
    import asyncio
    return await asyncio.get_running_loop().run_in_executor(dask_worker.executors['default'], bytes, kb * 1024)
if __name__ == '__main__': main()
